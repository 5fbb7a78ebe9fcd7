//go:build !linux

package trial

import "errors"

func coverManaged(string) error { return errors.New("no private /etc on this platform") }

func clearManaged() error { return nil }
