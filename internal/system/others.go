package system

import (
	"bufio"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// NotedShare is the share of all processors' time from which on the use by other programs is noted. A program that
// computes on all processors is about a tenth slower with a tenth less time; this exceeds the usual differences between
// runs.
const NotedShare = 0.1

// minTicks is the minimum time of a processor, in the kernel's hundredths of a second, for shares to be reported. The
// kernel counts the times of processes in such ticks.
const minTicks = 50

// ProcessorTimes contains the use of a Linux machine's processors up to a moment, in the kernel's ticks (proc(5)).
type ProcessorTimes struct {
	cores             int
	all, busy, stolen float64
	ownTicks          float64 // of a process and its descendants, including ended ones
	waited            float64 // microseconds in which a task waited for a processor; NaN: unknown
}

// OtherUse is the use of the processors by others in a period.
type OtherUse struct {
	// Share is the fraction of all processors' time, from 0 to 1, that programs other than the harness and its
	// descendants used. Stolen is the fraction that the host of a virtual machine took.
	Share, Stolen float64
	// Waiting is the fraction of the time in which a task, including the harness's own, waited for a processor
	// (pressure stall information). It is negative if unknown.
	Waiting float64
	Seconds float64
}

// ReadProcessors reads the use of the processors from root, the file system of a Linux machine ("/" as fs.FS), for the
// process pid. ok is false if it is unknown.
func ReadProcessors(root fs.FS, pid int) (p ProcessorTimes, ok bool) {
	p.waited = math.NaN()
	readFile(root, "proc/stat", func(r io.Reader) { ok = p.readStat(r) })
	if !ok {
		return ProcessorTimes{}, false
	}
	if p.ownTicks, ok = treeTicks(root, pid); !ok {
		return ProcessorTimes{}, false
	}
	readFile(root, "proc/pressure/cpu", func(r io.Reader) {
		eachField(r, " ", func(key, value string) {
			if _, total, found := strings.Cut(value, "total="); found && key == "some" {
				if us, err := strconv.ParseFloat(total, 64); err == nil {
					p.waited = us
				}
			}
		})
	})
	return p, true
}

// readStat reads /proc/stat: user, nice, system, idle, iowait, irq, softirq and steal of all processors together, and
// the number of processors.
func (p *ProcessorTimes) readStat(r io.Reader) bool {
	const idle, iowait, steal, counted = 3, 4, 7, 8
	s := bufio.NewScanner(r)
	for s.Scan() {
		words := strings.Fields(s.Text())
		if len(words) == 0 || !strings.HasPrefix(words[0], "cpu") {
			continue
		}
		if words[0] != "cpu" {
			p.cores++
			continue
		}
		for i, word := range words[1:min(len(words), 1+counted)] {
			ticks, err := strconv.ParseFloat(word, 64)
			if err != nil {
				return false
			}
			p.all += ticks
			switch i {
			case idle, iowait:
			case steal:
				p.stolen += ticks
			default:
				p.busy += ticks
			}
		}
	}
	return p.all > 0 && p.cores > 0
}

// treeTicks returns the time that a process and its descendants have used, including descendants that ended and were
// waited for.
func treeTicks(root fs.FS, pid int) (float64, bool) {
	entries, err := fs.ReadDir(root, "proc")
	if err != nil {
		return 0, false
	}
	used, children := map[int]float64{}, map[int][]int{}
	for _, e := range entries {
		id, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ticks, ok := parseProcessStat(firstLine(root, path.Join("proc", e.Name(), "stat"))); ok {
			used[id], children[parent] = ticks, append(children[parent], id)
		}
	}
	if _, known := used[pid]; !known {
		return 0, false
	}
	sum, next := 0.0, []int{pid}
	for len(next) > 0 {
		id := next[0]
		sum, next = sum+used[id], append(next[1:], children[id]...)
		delete(children, id)
	}
	return sum, true
}

// parseProcessStat parses /proc/PID/stat: the parent, and the sum of utime, stime, cutime and cstime. The name of the
// program, in parentheses, may contain any characters.
func parseProcessStat(text string) (parent int, ticks float64, ok bool) {
	const ppid, utime, cstime = 1, 11, 14 // positions after the name
	words := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(words) <= cstime {
		return 0, 0, false
	}
	parent, err := strconv.Atoi(words[ppid])
	if err != nil {
		return 0, 0, false
	}
	for _, word := range words[utime : cstime+1] {
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return 0, 0, false
		}
		ticks += n
	}
	return parent, ticks, true
}

// Since returns the use by others since an earlier reading. ok is false if the period is too short.
func (p ProcessorTimes) Since(before ProcessorTimes) (o OtherUse, ok bool) {
	all := p.all - before.all
	if p.cores == 0 || before.cores == 0 || all < minTicks*float64(p.cores) {
		return o, false
	}
	share := func(ticks float64) float64 { return min(max(ticks/all, 0), 1) }
	const ticksPerSecond = 100
	o = OtherUse{
		Share:  share(p.busy - before.busy - (p.ownTicks - before.ownTicks)),
		Stolen: share(p.stolen - before.stolen), Seconds: all / float64(p.cores) / ticksPerSecond, Waiting: -1,
	}
	if waited := (p.waited - before.waited) / 1e6; !math.IsNaN(waited) {
		o.Waiting = min(max(waited/o.Seconds, 0), 1)
	}
	return o, true
}
