package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"moirai/moiraicore"
)

// statusline prints the gate's state of one session in a few characters, for the
// client's status line. The client sends the session on stdin. It writes nothing,
// and out of scope it prints nothing of its own. The arguments are the operator's own
// status line command: it gets the same stdin, and its output comes first. The
// gate's state is printed whether that command fails or not.
func statusline(own []string) error {
	stdin, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	shown := ""
	if len(own) > 0 {
		command := exec.Command(own[0], own[1:]...)
		command.Stdin, command.Stderr = bytes.NewReader(stdin), os.Stderr
		out, err := command.Output()
		if err != nil {
			fmt.Fprintf(os.Stderr, "operate statusline: %s: %v\n", own[0], err)
		}
		shown = strings.TrimRight(string(out), "\n")
	}
	state := glance(stdin)
	if shown != "" && state != "" {
		shown += "  "
	}
	if shown += state; shown != "" {
		fmt.Println(shown)
	}
	return nil
}

// glance is the state of the session that the client describes; empty out of scope.
func glance(stdin []byte) string {
	payload, err := moiraicore.ReadPayload(bytes.NewReader(stdin))
	if err != nil {
		return ""
	}
	cwd, err := payload.Text(moiraicore.KeyCwd)
	if err != nil || !filepath.IsAbs(cwd) {
		return ""
	}
	scope := moiraicore.Locate(cwd)
	if !scope.In {
		return ""
	}
	session, err := payload.Session()
	if err != nil {
		return "moirai: no session id"
	}
	for _, dir := range []string{moiraicore.TokenParent, moiraicore.TokenDir} {
		if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
			return "moirai: not loaded" // a check would make the directory
		}
	}
	if moiraicore.CheckTokenDir() != nil {
		return "moirai: blocked, make status"
	}
	load, err := moiraicore.ReadToken(session, scope.Root, moiraicore.MainAgent)
	if err != nil {
		return "moirai: blocked, make status"
	}
	rules := 0
	for _, acked := range load.Acked {
		if acked {
			rules++
		}
	}
	switch {
	case load.Open():
		return "moirai open"
	case load.Loaded():
		return "moirai: /start"
	case rules == 0:
		return "moirai: not loaded"
	}
	return fmt.Sprintf("moirai: rules %d/%d", rules, len(load.Acked))
}
