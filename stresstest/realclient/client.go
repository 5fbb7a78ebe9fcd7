package realclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Pinned is the version of the client that make e2e runs.
const Pinned = "2.1.332"

// Measured lists the versions of docs/CLIENT-CONTRACT.md, oldest first.
var Measured = []string{"1.0.128", "2.0.76", "2.1.50", "2.1.118", "2.1.200", Pinned}

const (
	clientPackage = "@anthropic-ai/claude-code"
	installLimit  = 5 * time.Minute
)

// A Place is a file or folder of the machine that sessions need; Enclose binds
// it into the run's own folder under Name and moves Path there.
type Place struct{ Name, Path string }

// Client is one client program that can be run.
type Client struct {
	Version string
	program *Place   // the executable, or the folder that holds it
	below   string   // the program's path in that folder; empty if program is a file
	node    *Place   // runs below, if it is JavaScript
	Types   []string // the tools that its package declares
}

// Places lists what must be reachable for the client.
func (c *Client) Places() []*Place {
	if c.node == nil {
		return []*Place{c.program}
	}
	return []*Place{c.program, c.node}
}

// Command is the client with the arguments; directory and environment are not set.
func (c *Client) Command(args ...string) *exec.Cmd {
	if c.node != nil {
		return exec.Command(c.node.Path, append([]string{c.Program()}, args...)...)
	}
	return exec.Command(c.Program(), args...)
}

// Program is where the client's own program is.
func (c *Client) Program() string { return filepath.Join(c.program.Path, c.below) }

// Since tells whether the client is this version or a newer one.
func (c *Client) Since(version string) bool {
	have, want := numbers(c.Version), numbers(version)
	for i := range want {
		if have[i] != want[i] {
			return have[i] > want[i]
		}
	}
	return true
}

func numbers(version string) (n [3]int) {
	fmt.Sscanf(version, "%d.%d.%d", &n[0], &n[1], &n[2])
	return n
}

// Install makes sure that a version is below cache, with npm if it is not
// there yet, and returns it.
func Install(cache, version string) (*Client, error) {
	dir := filepath.Join(cache, version)
	c, err := fromPackage(dir, version)
	if err == nil {
		return c, nil
	}
	if err := npmInstall(dir, clientPackage+"@"+version); err != nil {
		return nil, err
	}
	return fromPackage(dir, version)
}

// npmInstall puts packages into a folder. Their installation scripts are not run.
func npmInstall(dir string, args ...string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	what := strings.Join(args, " ")
	fmt.Printf("installing %s into %s\n", what, dir)
	ctx, cancel := context.WithTimeout(context.Background(), installLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", append([]string{"install", "--prefix", dir, "--ignore-scripts", "--no-audit", "--no-fund",
		"--loglevel=error"}, args...)...)
	cmd.Dir = dir
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s (limit %v): %w\n%s", what, installLimit, err, out)
	}
	return nil
}

// Find returns a version that has been installed below cache.
func Find(cache, version string) (*Client, error) {
	return fromPackage(filepath.Join(cache, version), version)
}

// DefaultVersions lists the measured versions and, if it is not one of them,
// the newest that npm has.
func DefaultVersions() ([]string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "npm", "view", clientPackage, "version").Output()
	if err != nil {
		return nil, fmt.Errorf("npm view %s version: %w", clientPackage, err)
	}
	list := slices.Clone(Measured)
	if newest := strings.TrimSpace(string(out)); !slices.Contains(list, newest) {
		list = append(list, newest)
	}
	return list, nil
}

// fromPackage finds the program in a folder that npm filled: the native
// binary of the platform package, or cli.js for node.
func fromPackage(dir, version string) (*Client, error) {
	modules := filepath.Join(dir, "node_modules")
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	native := filepath.Join(modules, clientPackage+"-"+runtime.GOOS+"-"+arch, "claude")
	if _, err := os.Stat(native); err == nil {
		return &Client{Version: version, program: &Place{"client-" + version, native}, Types: typesOf(modules)}, nil
	}
	script := filepath.Join(clientPackage, "cli.js")
	if _, err := os.Stat(filepath.Join(modules, script)); err != nil {
		return nil, fmt.Errorf("no client in %s", dir)
	}
	return scripted(version, modules, script)
}

// scripted is a client that node runs.
func scripted(version, dir, below string) (*Client, error) {
	node, err := nodePlace("node-" + version)
	if err != nil {
		return nil, err
	}
	return &Client{Version: version, program: &Place{"client-" + version, dir}, below: below, node: node}, nil
}

// nodePlace is the node that this machine has.
func nodePlace(name string) (*Place, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	if node, err = filepath.EvalSymlinks(node); err != nil {
		return nil, err
	}
	return &Place{name, node}, nil
}

// Own is the client at a path of the operator's choice, or of that name in PATH.
func Own(path string) (*Client, error) {
	found, err := exec.LookPath(path)
	if err != nil {
		return nil, err
	}
	if found, err = filepath.EvalSymlinks(found); err != nil {
		return nil, err
	}
	if found, err = filepath.Abs(found); err != nil {
		return nil, err
	}
	version, err := versionOf(found)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(found, ".js") || strings.HasSuffix(found, ".cjs") {
		modules, below := filepath.Dir(found), filepath.Base(found)
		if i := strings.LastIndex(found, "/node_modules/"); i >= 0 {
			modules, below = found[:i]+"/node_modules", found[i+len("/node_modules/"):]
		}
		if native, err := fromPackage(filepath.Dir(modules), version); err == nil && native.node == nil {
			return native, nil
		}
		return scripted(version, modules, below)
	}
	return &Client{Version: version, program: &Place{"client-" + version, found}}, nil
}

// versionOf asks the program for its version, with no home and no credentials.
func versionOf(path string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	home, err := os.MkdirTemp("", "moirai-e2e-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(home)
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "DISABLE_AUTOUPDATER=1"}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s --version: %w", path, err)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if numbers(version) == [3]int{} {
		return "", errors.New(path + " --version says " + strings.TrimSpace(string(out)))
	}
	return version, nil
}
