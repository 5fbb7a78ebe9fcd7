package wiring

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"moirai/moiraicore"
)

// hookMode0755 is the mode that both hooks must have exactly (§7).
const hookMode0755 fs.FileMode = 0o755

// Programs judges the gate and the loader wherever they are installed or wired:
// there, exactly 0755, not writable by others along their real path, and what
// install put there (§7). It returns their real paths, and what is wrong.
func Programs(m Machine, report Report) (paths []string, found []Finding, err error) {
	paths, sums, err := hookPrograms(m, report)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		f, err := judgeProgram(path, sums)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, f...)
	}
	return paths, found, nil
}

// hookPrograms lists the real paths of the hooks, and what install recorded of
// them. Where nothing is installed or wired the user's folder is named, so that
// it is missing.
func hookPrograms(m Machine, report Report) (paths []string, sums map[string]string, err error) {
	folders := []string{ManagedPrograms, m.Programs()}
	sums = map[string]string{}
	for _, folder := range folders {
		record, exists, err := ReadRecord(folder)
		if err != nil {
			return nil, nil, err
		}
		if !exists && (folder != m.Programs() || len(paths) > 0 || len(report.Hooks()) > 0) {
			continue
		}
		for path, sum := range record.Sums {
			sums[moiraicore.Resolve(path)] = sum
		}
		paths = append(paths, filepath.Join(folder, moiraicore.GateName), filepath.Join(folder, moiraicore.LoaderName))
	}
	for _, h := range report.Hooks() {
		// One that is not there is a finding of the wiring.
		if _, err := os.Stat(h.Program); err == nil {
			paths = append(paths, h.Program)
		}
	}
	for i := range paths {
		paths[i] = moiraicore.Resolve(paths[i])
	}
	slices.Sort(paths)
	return slices.Compact(paths), sums, nil
}

func judgeProgram(path string, sums map[string]string) ([]Finding, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return []Finding{finding(HookMissing, "%s", path)}, nil
	}
	if err != nil {
		return nil, err
	}
	var found []Finding
	if info.Mode() != hookMode0755 {
		found = append(found, finding(HookMode, "%s has mode %v, not %v", path, info.Mode(), hookMode0755))
	}
	if err := OnlyUs(path); err != nil {
		found = append(found, finding(HookWritable, "%s: %v", path, err))
	}
	sum, err := checksum(path)
	if err != nil {
		return nil, err
	}
	if recorded, ok := sums[path]; !ok {
		found = append(found, finding(HookChecksum, "%s: no install recorded it", path))
	} else if recorded != sum {
		found = append(found, finding(HookChecksum, "%s is sha256 %s, installed was %s", path, sum, recorded))
	}
	return found, nil
}

func checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
