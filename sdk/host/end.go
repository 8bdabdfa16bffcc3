package host

import "time"

// endGrace is the time that a process has to end after a request, and again after SIGTERM.
const endGrace = 2 * time.Second

// endProcess ends the process and its whole process group. It calls ask, then sends SIGTERM, then SIGKILL. ask must
// return when the process has ended.
func (p *pluginProcess) endProcess(ask func()) {
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		ask()
	}()
	for _, send := range []func(int){endGroup, killGroup} {
		if p.endsWithin(endGrace) {
			break
		}
		p.signalGroup(send)
	}
	<-p.groupGone
	<-asked
}

func (p *pluginProcess) endsWithin(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.exited:
		return true
	case <-t.C:
		return false
	}
}
