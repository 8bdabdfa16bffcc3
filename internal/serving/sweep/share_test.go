package sweep_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/internal/serving/sweep"
	"github.com/plumbline-ml/plumbline/internal/testkit/servingtest"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

var began = time.Date(2026, 11, 24, 5, 0, 0, 123456789, time.UTC)

// rate is the load of the shares.
var rate = arrival.Pattern{Kind: arrival.Rate, Arrival: arrival.Poisson, PerSecond: 5, Requests: 40}

// judging is how golden cases are judged, as one client or as several.
func judging(rules metrics.FigureRules) *sweep.PointSettings {
	return &sweep.PointSettings{Rules: rules, Record: record.Run{Model: "m", Serving: &record.Serving{}}}
}

// keepShares writes the folders of so many shares of records, each of which began a little later than the one before.
func keepShares(t *testing.T, dir string, all []metrics.Request, rules metrics.FigureRules, of int) (dirs []string) {
	t.Helper()
	for i := range of {
		late := int64(i) * 1234567
		s := judging(rules)
		s.Share = shard.Share{Index: i, Of: of}
		p := &engine.MeasuredPoint{Load: rate, Began: began.Add(time.Duration(late)), StopReason: engine.ByRequests}
		for k := i; k < len(all); k += of {
			r := all[k]
			r.Index = len(p.Requests)
			r.Due, r.Sent, r.End = r.Due-late, r.Sent-late, r.End-late
			r.Events.Shift(-late)
			p.Requests = append(p.Requests, r)
		}
		point := s.JudgePoint(p, 7)
		point.Record.Finish(nil)
		out := filepath.Join(dir, fmt.Sprintf("share-%d-of-%d", i, of))
		folder, _, err := sweep.OpenFolder(out, true, []string{"http://host", "--rate=5", fmt.Sprintf("--shard=%d/%d", i,
			of)})
		if err != nil {
			t.Fatal(err)
		}
		if err := folder.SavePoint("rate-5", point); err != nil {
			t.Fatal(err)
		}
		ns := int64(2e6)
		f := &sweepfile.Sweep{
			Flags: []string{"http://host", "--rate=5", fmt.Sprintf("--shard=%d/%d", i, of)}, Complete: true,
			Server: record.ServingServer{URLs: []string{"http://host/v1"}, Model: "m"},
			Points: []record.Run{point.Record},
			Share: &sweepfile.ShareInfo{Share: s.Share, Start: began, Version: "v", Prompts: "p", ClockError: &ns,
				Clock: fmt.Sprint("clock ", i)},
		}
		f.JudgePoints()
		if err := folder.SaveSweep(f); err != nil {
			t.Fatal(err)
		}
		folder.Close()
		dirs = append(dirs, out)
	}
	return dirs
}

// TestJoinedAreOneClient: figures of the folders of shares are those of one client that recorded the same, to the last
// bit.
func TestJoinedAreOneClient(t *testing.T) {
	const cases = "../../../serving/metrics/testdata/golden"
	golden.EachBelow(t, cases, "serving/events/p*.json", func(t *testing.T, path string) {
		c := servingtest.ReadCase(t, path)
		all := c.Records()
		slices.SortStableFunc(all, func(a, b metrics.Request) int { return int(a.Due - b.Due) })
		for i := range all {
			all[i].Index = i
		}
		rules := c.FigureRules()
		rules.Window = nil
		alone := judging(rules).JudgePoint(&engine.MeasuredPoint{Load: rate, Requests: all, Began: began}, 7)
		want, err := json.Marshal(alone.Record.Serving.Figures)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []int{min(2, len(all))} {
			dirs := keepShares(t, t.TempDir(), all, rules, of)
			slices.Reverse(dirs)
			shares, err := sweep.ReadShares(dirs)
			if err != nil {
				t.Fatal(err)
			}
			point, together, err := judging(rules).JoinShares(shares, rate)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(point.Record.Serving.Figures)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d shares: %v\n%s, want\n%s", of, err, got, want)
			}
			var had, have bytes.Buffer
			if err := errors.Join(requests.Write(&had, all, alone.Rules), requests.Write(&have, point.Requests,
				point.Rules)); err != nil || !bytes.Equal(had.Bytes(), have.Bytes()) {
				t.Errorf("%d shares: %v, other records:\n%s, want\n%s", of, err, have.Bytes(), had.Bytes())
			}
			if r := point.Record; r.Started != began || r.Status != record.Complete || r.Serving.Asked.PointSeed != 7 {
				t.Errorf("%d shares: %+v", of, r)
			}
			doubt := int64(4e6)
			if of == 1 {
				doubt = 0
			}
			if len(together.Of) != of || together.Apart != int64(of-1)*1234567 || *together.Doubt != doubt ||
				together.Of[0].Dir != dirs[of-1] {
				t.Errorf("%d shares: %+v", of, together)
			}
		}
	})
}

// TestReadShares says why folders are no shares, all at once.
func TestReadShares(t *testing.T) {
	dir := t.TempDir()
	all := make([]metrics.Request, 9)
	for i := range all {
		all[i].Status, all[i].End, all[i].Usage = metrics.OK, int64(i+1), metrics.NoUsage()
	}
	fault := func(i int, change func(f *sweepfile.Sweep)) string {
		at := keepShares(t, filepath.Join(dir, fmt.Sprint("fault", i)), all, metrics.FigureRules{NoTokens: true}, 2)[0]
		path := filepath.Join(at, sweepfile.Name)
		f, err := sweepfile.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		change(f)
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		return at
	}
	whole := fault(0, func(f *sweepfile.Sweep) { f.Share = nil })
	merged := fault(1, func(f *sweepfile.Sweep) { f.Shares = &sweepfile.JoinedShares{} })
	cut := fault(2, func(f *sweepfile.Sweep) { f.Points[0].Status, f.Ended = record.Interrupted, "interrupt" })
	none := fault(3, func(f *sweepfile.Sweep) { f.Points = nil })
	away := fault(4, func(f *sweepfile.Sweep) { f.Points[0].Dir = "../elsewhere" })
	faulty := fault(5, func(*sweepfile.Sweep) {})
	if err := os.WriteFile(filepath.Join(faulty, "rate-5", requests.JSONLName), []byte("{}\n[]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sweep.ReadShares([]string{whole, merged, cut, none, away, faulty, filepath.Join(dir, "nothing")})
	for _, want := range []string{
		whole + " holds no share, but a whole measurement", merged + " holds shares that were put together already",
		cut + ": share 0/2 did not come to its end (interrupt)", none + " has 0 points, want the one",
		`its point is "../elsewhere"`, "requests.jsonl has 6 bytes, and had", "nothing has no sweep.json",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\ndoes not say %q", err, want)
		}
	}
}
