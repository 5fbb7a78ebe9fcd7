//go:build linux

package untouched

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// pinned is the client that make e2e installs.
const pinned = "2.1.332"

// TestUnisolatedE2E plays the real client with the runner as it is built for a platform
// without namespaces, beside a live session, with no network but lo.
func TestUnisolatedE2E(t *testing.T) {
	cache, err := filepath.EvalSymlinks("../../.cache/client")
	if err == nil {
		_, err = os.Stat(filepath.Join(cache, pinned))
	}
	if err != nil {
		t.Skip("make e2e installs the client: ", err)
	}
	if strings.HasPrefix(cache, "/tmp/") {
		t.Skip("the client lies in /tmp, which the stage covers")
	}
	s := newStage(t, false)
	s.offline = true
	before := s.state()
	code, out := s.play(".cache/tests/e2e-unisolated", "-bin", "bin", "-cache", cache, "-live", "-parallel", "2",
		"-run", "eight steps|resume, continue|whose void|token is out of reach|elsewhere notices")
	if code != 0 || !strings.Contains(out, " 0 failed") || !strings.Contains(out, "NOT isolated") {
		t.Errorf("exit %d\n%s", code, tail(out))
	}
	t.Log(tail(out))
	s.same(before, "e2e without isolation", out)
}
