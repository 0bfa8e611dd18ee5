package process

import "syscall"

// withParent ends a process with the one that has started it, even if that is killed.
func withParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
