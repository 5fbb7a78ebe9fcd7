package realclient

import (
	"os"
	"os/exec"
	"path/filepath"
)

// A Driver is a package of npm through which programs start the client. It is installed
// beside the client, before anything is isolated, and given the client of the run.
type Driver struct {
	Package, Version string
	Main             string // its program or module
}

// Driving is a driver on this machine, or says why it is missing.
type Driving struct {
	Missing        string
	driver         *Driver
	packages, node *Place
}

// Install makes sure that the driver is below cache. Its optional packages are left out:
// they are the client once more, for each platform.
func (d *Driver) Install(cache string) *Driving {
	name := filepath.Base(d.Package) + "-" + d.Version
	dir := filepath.Join(cache, name)
	if _, err := os.Stat(filepath.Join(dir, "node_modules", d.Package, d.Main)); err != nil {
		if err := npmInstall(dir, "--omit=optional", d.Package+"@"+d.Version); err != nil {
			return &Driving{Missing: err.Error()}
		}
	}
	node, err := nodePlace("node-" + name)
	if err != nil {
		return &Driving{Missing: err.Error()}
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return &Driving{Missing: err.Error()}
	}
	return &Driving{driver: d, packages: &Place{name, dir}, node: node}
}

// Places lists what must be reachable for the driver.
func (d *Driving) Places() []*Place {
	if d.Missing != "" {
		return nil
	}
	return []*Place{d.packages, d.node}
}

// Module is where something in a package is that came with the driver.
func (d *Driving) Module(path string) string {
	return filepath.Join(d.packages.Path, "node_modules", path)
}

// Main is where the driver's own program or module is.
func (d *Driving) Main() string { return d.Module(filepath.Join(d.driver.Package, d.driver.Main)) }

// Command runs a script with the driver's node.
func (d *Driving) Command(script string, args ...string) *exec.Cmd {
	return exec.Command(d.node.Path, append([]string{script}, args...)...)
}
