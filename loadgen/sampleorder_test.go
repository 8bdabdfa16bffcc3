package loadgen_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// ordered lists the samples that published runs of v0.5 to v4.1 loaded first, by the seed of their round.
var ordered = []struct {
	total, count, seed uint64
	order              loadgen.SampleOrder
	first              []uint64
}{
	{50000, 1024, 3133965575612453542, older(true), []uint64{32084, 48428, 11861, 17386, 952, 42450, 2067, 18477}},
	{5000, 64, 3133965575612453542, older(true), []uint64{4927, 3740, 3179, 4579, 952, 3046, 2067, 2039}},
	{50000, 1024, 195, older(true), []uint64{30354, 36557, 33681, 48073, 27569, 6371, 35795, 2918}},
	{1024, 1024, 3133965575612453542, older(false), []uint64{961, 348, 364, 445, 952, 574, 900, 362}},
	{10833, 10833, 12786827339337101903, older(false), []uint64{5230, 1139, 10693, 2186, 980, 1547, 2868, 10697}},
	{330067, 204800, 12786827339337101903, older(true), []uint64{
		290437, 241798, 242904, 129363, 173307, 115369, 275394, 224560}},
	{50000, 2048, 313588358309856706, older(true), []uint64{37459, 3550, 17896, 7923, 1571, 8210, 12826, 1237}},
	{2513, 2513, 313588358309856706, older(false), []uint64{1979, 2330, 2310, 671, 8, 1244, 1465, 515}},
	{1024, 64, 7322528924094909334, older(true), []uint64{94, 121, 945, 915, 984, 598, 785, 230}},
	{24576, 24576, 3066443479025735752, older(false), []uint64{4118, 3768, 20059, 4658, 23671, 5571, 9800, 19553}},
	{24576, 24576, 3066443479025735752, newer(false), []uint64{4118, 3770, 22617, 4660, 21859, 18301, 9778, 6453}},
	{24781, 64, 3066443479025735752, newer(true), []uint64{21594, 3771, 11026, 5174, 13194, 17786, 12070, 13268}},
	{24781, 64, 16799458546791641818, newer(true), []uint64{12789, 13263, 3454, 18043, 14429, 23960, 11099, 10031}},
	{50000, 2000, 3066443479025735752, newer(true), []uint64{4118, 36553, 39134, 4660, 21859, 18301, 9778, 6453}},
}

func older(all bool) loadgen.SampleOrder { return loadgen.SampleOrder{Older: true, FromAll: all} }
func newer(all bool) loadgen.SampleOrder { return loadgen.SampleOrder{FromAll: all} }

// TestOrdersOfPublishedRuns finds the order of each run and draws it again.
func TestOrdersOfPublishedRuns(t *testing.T) {
	for _, c := range ordered {
		name := fmt.Sprintf("%d of %d, seed %d, %v", c.count, c.total, c.seed, c.order)
		got := loadgen.SampleOrderOf(c.first, c.total, c.count, c.seed)
		if !slices.Equal(got, []loadgen.SampleOrder{c.order}) {
			t.Errorf("%s: recognised %v", name, got)
		}
		s := loadgen.DefaultTestSettings()
		s.Scenario, s.MinQueryCount, s.MinDuration, s.OfflineExpectedQPS = loadgen.Offline, 1, 0, 1
		s.QSLRNGSeed, s.PerformanceSampleCountOverride = c.seed, c.count
		s.OlderSampleOrder, s.LoadFromAll = c.order.Older, c.order.FromAll
		if got := firstLoaded(t, s, int(c.total)); len(got) < 8 || !slices.Equal(got[:8], c.first) {
			t.Errorf("%s: loaded %v, want %v", name, got[:min(8, len(got))], c.first)
		}
	}
}

// TestOrdersThatCannotBeTold checks that all matching orders are returned, and none if no order matches.
func TestOrdersThatCannotBeTold(t *testing.T) {
	for _, c := range []struct {
		loaded             []uint64
		total, count, seed uint64
		want               int
	}{
		{nil, 9, 9, 1, 0}, {[]uint64{0}, 1, 1, 1, 2}, {[]uint64{0}, 0, 1, 1, 0}, {[]uint64{0}, 1, 0, 1, 0},
		{[]uint64{4927, 3740}, 5000, 64, 1, 0}, {[]uint64{0}, 1 << 40, 64, 1, 0}, {[]uint64{0}, 64, 1 << 40, 1, 0},
		{[]uint64{7, 7, 7}, 2, 2, 1, 0},
	} {
		if got := loadgen.SampleOrderOf(c.loaded, c.total, c.count, c.seed); len(got) != c.want {
			t.Errorf("%v of %d, %d loaded: %v, want %d", c.loaded, c.total, c.count, got, c.want)
		}
	}
}

// TestOrderOfQueries checks that the order of queries depends on the setting and the times do not.
func TestOrderOfQueries(t *testing.T) {
	s := loadgen.DefaultTestSettings()
	s.Scenario, s.MinQueryCount, s.MinDuration, s.ServerTargetQPS = loadgen.Server, 200, 0, 1e6
	var logs [3]*mllog.Detail
	var asked [3][]int
	for i, older := range []bool{false, true, true} {
		s.OlderSampleOrder = older
		sut := &loadgentest.NullSUT{}
		dir := t.TempDir()
		qsl := loadgentest.QSL{Total: 4000, Performance: 4000}
		s.AccuracyLogProbability = 1
		if _, err := loadgen.StartTest(t.Context(), sut, qsl, s, loadgen.LogSettings{OutDir: dir}); err != nil {
			t.Fatal(err)
		}
		logs[i], asked[i] = detailIn(t, dir), askedIn(t, dir)
	}
	if slices.Equal(asked[0], asked[1]) || !slices.Equal(asked[1], asked[2]) || len(asked[0]) < 100 {
		t.Errorf("%d samples: today's order and the older one are the same, or the older one is not itself", len(asked[0]))
	}
	a, _ := logs[0].First("generated_query_duration")
	b, _ := logs[1].First("generated_query_duration")
	if a.Value != b.Value || logs[0].Has("requested_older_sample_order") || !logs[1].Has("requested_older_sample_order") {
		t.Errorf("queries are due within %v and %v; the logs name the order: %v, %v", a.Value, b.Value,
			logs[0].Has("requested_older_sample_order"), logs[1].Has("requested_older_sample_order"))
	}
}

// firstLoaded returns the first samples that a test loads.
func firstLoaded(t *testing.T, s loadgen.TestSettings, total int) []uint64 {
	t.Helper()
	dir := t.TempDir()
	qsl := loadgentest.QSL{Total: total, Performance: total}
	_, err := loadgen.StartTest(t.Context(), &loadgentest.NullSUT{}, qsl, s, loadgen.LogSettings{OutDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return detailIn(t, dir).FirstLoaded
}

func detailIn(t *testing.T, dir string) *mllog.Detail {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, mllog.DetailFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, err := mllog.ScanDetail(f)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// askedIn returns the samples of an accuracy log in the order of the queries.
func askedIn(t *testing.T, dir string) []int {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, mllog.AccuracyFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	asked := make([]int, 0, 256)
	for r := mllog.NewAccuracyReader(f); ; {
		e, err := r.Next()
		if err != nil {
			return asked
		}
		for len(asked) <= int(e.SeqID) {
			asked = append(asked, -1)
		}
		asked[e.SeqID] = int(e.QSLIndex)
	}
}
