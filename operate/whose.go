package main

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// anothers tells root whose the token directory is and what to run, if it is a user's. His
// sessions may be healthy, so nothing is to be removed. Empty if there is nothing to tell.
func anothers(dir string) string {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || os.Geteuid() != 0 {
		return ""
	}
	uid := int(info.Sys().(*syscall.Stat_t).Uid)
	if uid == 0 {
		return ""
	}
	name := "#" + strconv.Itoa(uid) // as sudo takes a uid
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		name = u.Username
	}
	self, err := os.Executable()
	if err != nil {
		self = "operate"
	}
	return fmt.Sprintf("%s belongs to %s (uid %d), and so do the sessions in it.\nRun this as that user: sudo -u '%s' %s status\n", dir, name, uid, name, self)
}
