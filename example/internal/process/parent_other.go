//go:build !linux

package process

import "syscall"

// withParent does what only Linux can.
func withParent() *syscall.SysProcAttr { return nil }
