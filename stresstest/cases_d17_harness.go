package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime"
)

// D17: what is tested is what ships.
var harnessCases = []testCase{
	{class: "D17", name: "the hooks are static, trimmed, of this module and the standard library alone", steps: []step{
		shipped(gateName), shipped(loaderName),
	}},
	{class: "D17", name: "the hooks are for this machine and executable", steps: []step{
		modeOf("{hooks}/"+gateName, 0o755), modeOf("{hooks}/"+loaderName, 0o755),
	}},
	{class: "D17", name: "the token directory is a constant: TMPDIR and HOME do not move it", steps: []step{
		load().env("TMPDIR={dir}", "HOME={dir}", "XDG_RUNTIME_DIR={dir}"), tokenIs(loadedLines), start().env("TMPDIR={dir}", "HOME={dir}"),
		allowed().env("TMPDIR={dir}"), tokenIs(loadedLines, typedStart),
	}},
	{class: "D17", name: "mode bits hold for this run", needs: modeBits, steps: []step{modeBitsHold{}}},
	{class: "D17", name: "hooks hold no capability", needs: linux | modeBits, steps: []step{noCapability{}}},
}

// shipped: built as make build does (D13: nothing can be preloaded into it).
func shipped(name string) step {
	return expectation(func(s *scene) error {
		info, err := buildinfo.ReadFile(s.h.hooks() + "/" + name)
		if err != nil {
			return err
		}
		settings := map[string]string{}
		for _, set := range info.Settings {
			settings[set.Key] = set.Value
		}
		if settings["CGO_ENABLED"] != "0" || settings["-trimpath"] != "true" || settings["-tags"] != "" || settings["GOOS"] != runtime.GOOS {
			return fmt.Errorf("%s: expected CGO_ENABLED=0, -trimpath, no tags, for %s, got %v", name, runtime.GOOS, settings)
		}
		if info.Path != "moirai/"+name || len(info.Deps) != 0 {
			return fmt.Errorf("%s: expected moirai/%s without dependencies, got %s with %v", name, name, info.Path, info.Deps)
		}
		return nil
	})
}

type modeBitsHold struct{}

func (modeBitsHold) do(s *scene) error {
	path := s.dir + "/closed"
	if err := os.WriteFile(path, nil, 0); err != nil {
		return err
	}
	if _, err := os.Open(path); err == nil {
		return fmt.Errorf("expected that a file of mode 0000 cannot be opened, got it open")
	}
	return nil
}
