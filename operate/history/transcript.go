package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Transcripts finds what the client wrote of a session, in the folders of all accounts:
// the transcript, and those of its subagents in a folder beside it.
type Transcripts struct{ folders []string }

// TranscriptsOf looks into the config folders of these accounts. An account without
// projects has no transcripts; one that cannot be read is an error.
func TranscriptsOf(configDirs []string) (t Transcripts, err error) {
	for _, dir := range configDirs {
		projects := filepath.Join(dir, "projects")
		entries, err := os.ReadDir(projects)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return t, err
		}
		for _, e := range entries {
			t.folders = append(t.folders, filepath.Join(projects, e.Name()))
		}
	}
	return t, nil
}

// Moved is when the client wrote of the session last. exists is false if it has no
// transcript.
func (t Transcripts) Moved(session string) (at time.Time, exists bool) {
	for _, folder := range t.folders {
		paths := []string{filepath.Join(folder, session+".jsonl")}
		beside := filepath.Join(folder, session, "subagents")
		if entries, err := os.ReadDir(beside); err == nil {
			for _, e := range entries {
				paths = append(paths, filepath.Join(beside, e.Name()))
			}
		}
		for _, path := range paths {
			info, err := os.Stat(path)
			if err != nil {
				continue
			}
			if exists = true; info.ModTime().After(at) {
				at = info.ModTime()
			}
		}
	}
	return at, exists
}
