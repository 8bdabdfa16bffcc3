package tune

import (
	"reflect"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

func TestGrid(t *testing.T) {
	want := []Setting{{}, {1, 1, 0, 0}, {8, 1, 0, 0}, {1, 2, 0, 0}, {8, 2, 0, 0}}
	if got := Grid([]int{1, 8, 1}, []int{1, 2}, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Grid([]int{1, 8}, []int{1, 2}, []int{1, 2}); len(got) != 9 {
		t.Errorf("got %v, want all 8 combinations and the plugin's own", got)
	}
}

// A model on a server is tuned with requests in flight, not with this machine's sessions or threads.
func TestRemoteGrid(t *testing.T) {
	want := []Setting{{}, {0, 0, 0, 1}, {0, 0, 0, 16}}
	if got := RemoteGrid(nil, []int{1, 16}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	want = []Setting{{}, {1, 0, 0, 4}, {8, 0, 0, 4}}
	if got := RemoteGrid([]int{1, 8}, []int{4}); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if all := DefaultRequests(); len(all) != 9 || all[0] != 1 || all[8] != 256 {
		t.Errorf("%v by default", all)
	}
}

func TestDefaultGrid(t *testing.T) {
	cases := []struct {
		cores   int
		threads bool
		want    []Setting
	}{
		{0, true, []Setting{{}, {4, 1, 1, 0}}},
		{1, true, []Setting{{}, {4, 1, 1, 0}}},
		{2, true, []Setting{{}, {4, 1, 2, 0}, {4, 1, 1, 0}, {4, 2, 1, 0}}},
		{6, true, []Setting{{}, {4, 1, 6, 0}, {4, 1, 3, 0}, {4, 2, 3, 0}, {4, 2, 1, 0}, {4, 4, 1, 0}, {4, 6, 1, 0}}},
		{2, false, []Setting{{}, {4, 1, 0, 0}, {4, 2, 0, 0}, {4, 4, 0, 0}, {4, 8, 0, 0}}},
	}
	for _, c := range cases {
		if got := DefaultGrid([]int{4}, c.cores, c.threads); !slices.Equal(got, c.want) {
			t.Errorf("%d cores, threads %v: got %v, want %v", c.cores, c.threads, got, c.want)
		}
	}
}

func TestSettingText(t *testing.T) {
	for want, s := range map[string]Setting{
		"the plugin's own choice": {}, "batch 8, 1 session": {8, 1, 0, 0}, "2 sessions, 1 thread": {0, 2, 1, 0},
		"batch 1, 1 session, 3 threads": {1, 1, 3, 0}, "batch 2, 64 requests in flight": {2, 0, 0, 64},
	} {
		if got := s.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestSettingOnOptions(t *testing.T) {
	o := sdk.Options{Batch: 7, BackendOptions: map[string]string{"lib": "l"}}
	got := Setting{Sessions: 2, Threads: 3, Requests: 9}.On(o)
	want := sdk.Options{Batch: 7, Sessions: 2, BackendOptions: map[string]string{
		"lib": "l", "threads": "3", "concurrency": "9",
	}}
	if !reflect.DeepEqual(got, want) || len(o.BackendOptions) != 1 {
		t.Errorf("got %+v, want %+v; given %+v", got, want, o)
	}
}

func TestServerSettings(t *testing.T) {
	own := Point{SamplesPerSecond: 900}
	large, small, slow := Point{Setting: Setting{64, 2, 1, 0}, SamplesPerSecond: 1000},
		Point{Setting: Setting{4, 2, 1, 0}, SamplesPerSecond: 950}, Point{Setting: Setting{1, 1, 1, 0}, SamplesPerSecond: 500}
	failed := Point{Setting: Setting{128, 2, 1, 0}, Fault: "no memory"}
	cases := []struct {
		name   string
		points []Point
		want   []Point
	}{
		{"a batch that is in time", []Point{large, small, own, slow, failed}, []Point{small, own}},
		{"none in time", []Point{large, own}, []Point{own}},
		{"none in time, nothing else", []Point{large, failed}, []Point{large}},
		{"nothing measured", []Point{failed}, []Point{{}}},
		{"nothing at all", nil, []Point{{}}},
	}
	for _, c := range cases {
		if got := ServerSettings(c.points, 20e6); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}
