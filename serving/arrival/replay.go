package arrival

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// scheduleReplay returns the due times of a trace's rows, sorted. Rows with equal times keep the order of the file.
func (p Pattern) scheduleReplay(stamps []time.Duration) (s Schedule, err error) {
	if len(stamps) == 0 {
		return s, errors.New("the data has no times of requests: a replay wants a column timestamp " +
			"(or --column timestamp=NAME)")
	}
	rows := make([]int, len(stamps))
	for i := range rows {
		rows[i] = i
	}
	if !slices.IsSorted(stamps) {
		slices.SortStableFunc(rows, func(a, b int) int { return int(min(1, max(-1, stamps[a]-stamps[b]))) })
		s.Notes = append(s.Notes, "the lines of the trace were out of order: they were sorted by their times")
	}
	zero := stamps[rows[0]]
	first, _ := slices.BinarySearchFunc(rows, zero+p.From, func(row int, at time.Duration) int {
		return int(min(1, max(-1, stamps[row]-at)))
	})
	rows = rows[first:]
	speed := cmp.Or(p.Speed, 1)
	for i, row := range rows {
		if p.To > 0 && stamps[row]-zero >= p.To {
			break
		}
		due := scaleTime(stamps[row]-stamps[rows[0]], speed)
		if p.Requests > 0 && i >= p.Requests || p.Duration > 0 && due >= int64(p.Duration) {
			break
		}
		s.Due, s.Rows = append(s.Due, due), append(s.Rows, row)
	}
	if len(s.Due) == 0 {
		return s, fmt.Errorf("no request of the trace is between %v and %v; it lasts %v", p.From, p.To,
			slices.Max(stamps)-zero)
	}
	return s, nil
}
