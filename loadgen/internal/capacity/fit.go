package capacity

import (
	"cmp"
	"math"
	"slices"
)

// Fit returns the model that explains the times of n queries, in ns and in the order of arrival. n must not be 0.
func Fit(arrive, done []int64) Model {
	f := queueFitter{arrive: arrive, done: done, present: countPresent(arrive, done), service: make([]int64, len(arrive))}
	servers := f.estimateServers()
	seen := maxOvertaken(done) + 1
	if servers < seen {
		servers = seen
	} else if most := seen + seen/2; servers > most && f.modelFor(servers).serviceVariation() > minVariation {
		servers = most
	}
	return f.modelFor(servers)
}

// minVariation is the coefficient of variation of times in service above which Fit counts overtaking queries. With such
// times, the number of overtaken queries is close to the number of other servers.
const minVariation = 0.2

type queueFitter struct {
	arrive, done []int64
	present      []int   // number of queries in progress at each arrival
	service      []int64 // with the last number of servers
}

// estimateServers returns the number of servers with which busy servers seem neither slower nor faster than idle ones.
func (f *queueFitter) estimateServers() int {
	low, high := 1, slices.Max(f.present)+1
	for low < high {
		mid := (low + high) / 2
		if f.busyExcess(mid) < 0 {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low > 1 && math.Abs(f.busyExcess(low-1)) < math.Abs(f.busyExcess(low)) {
		return low - 1
	}
	return low
}

// busyExcess returns by how much longer the queries that find all servers busy are in service than the others, on
// average and as a share. It returns 0 if there are no such queries.
func (f *queueFitter) busyExcess(servers int) float64 {
	var sum, n [2]float64
	for i, s := range f.modelFor(servers).service {
		group := 0
		if f.present[i] >= servers {
			group = 1
		}
		sum[group] += float64(s)
		n[group]++
	}
	if n[1] == 0 || sum[0] == 0 {
		return 0
	}
	return sum[1]/n[1]/(sum[0]/n[0]) - 1
}

// modelFor returns a model with the times in service that make servers reproduce the recorded times. The model is valid
// until the next call. If a query was done before a server was free, its time in service is 0, because that number of
// servers cannot explain it.
func (f *queueFitter) modelFor(servers int) Model {
	free := make(timeHeap, servers)
	for i := range free {
		free[i] = math.MinInt64
	}
	for i, at := range f.arrive {
		start := max(at, free[0])
		f.service[i] = max(0, f.done[i]-start)
		free.replaceEarliest(f.done[i])
	}
	return Model{Servers: servers, arrive: f.arrive, service: f.service}
}

// countPresent returns, for each arrival, the number of earlier queries that are not done.
func countPresent(arrive, done []int64) []int {
	present := make([]int, len(arrive))
	var open timeHeap
	for i, at := range arrive {
		for len(open) > 0 && open[0] <= at {
			open.popEarliest()
		}
		present[i] = len(open)
		open.pushTime(done[i])
	}
	return present
}

// maxOvertaken returns how many earlier queries are not done at the end of a query that overtakes many. It leaves out
// the one query in a thousand that overtakes most.
func maxOvertaken(done []int64) int {
	order := orderByTime(done)
	open := newTree(len(done)) // positions of the queries that are not done
	counts := make([]int, 0, len(done))
	for len(order) > 0 {
		n := 0
		for n < len(order) && done[order[n]] == done[order[0]] {
			open.removeMember(order[n])
			n++
		}
		for _, i := range order[:n] {
			counts = append(counts, open.countBefore(i))
		}
		order = order[n:]
	}
	slices.Sort(counts)
	return counts[len(counts)-1-len(counts)/1000]
}

// orderByTime returns the indices of times in ascending order of time. The sort is stable.
func orderByTime(times []int64) []int {
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	return order
}
