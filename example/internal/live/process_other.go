//go:build !linux

package live

import "syscall"

// withParent does what only Linux can.
func withParent() *syscall.SysProcAttr { return nil }
