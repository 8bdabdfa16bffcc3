package sweep

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/engine"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// maxDigested is the maximum number of requests in a digest. They are evenly spaced, and the digest includes the number
// of all requests.
const maxDigested = 4096

// requestsDigest returns the SHA-256 of requests, which is equal for equal requests.
func requestsDigest(asks *prompts.DrawnRequests) string {
	n := asks.Len()
	hash := sha256.New()
	write := json.NewEncoder(hash)
	_ = write.Encode(n) // writing to a hash cannot fail, and every Ask has a JSON form
	for i := range min(n, maxDigested) {
		a := asks.At(i * n / min(n, maxDigested))
		_ = write.Encode(a)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// recordShare adds the data to the sweep's file that are required to merge the shares of a point.
func (s *Sweep) recordShare(p *SweepPoint) {
	to := s.File.Share
	if to == nil {
		return
	}
	to.Prompts, to.Steady = p.Digest, p.Rules.Window
	name, mayBeWrong := shard.WallClock()
	to.Clock, to.ClockError = name, nil
	if mayBeWrong >= 0 {
		ns := int64(mayBeWrong)
		to.ClockError = &ns
	}
}

// ShareData contains the data read from the folder of a share.
type ShareData struct {
	Dir  string
	File *sweepfile.Sweep
	Part shard.Part
}

// Record returns the record of the share's point.
func (s *ShareData) Record() *record.Run { return &s.File.Points[0] }

// ReadShares reads the folders of shares. Its error contains the faults of all of them.
func ReadShares(dirs []string) ([]*ShareData, error) {
	var all []*ShareData
	var faults []error
	for _, dir := range dirs {
		s, err := readShare(dir)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		all = append(all, s)
	}
	return all, errors.Join(faults...)
}

func readShare(dir string) (*ShareData, error) {
	f, err := sweepfile.Read(filepath.Join(dir, sweepfile.Name))
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, fmt.Errorf("%s has no %s: want the folder of a completed share (harness bench --shard)", dir,
			sweepfile.Name)
	case err != nil:
		return nil, err
	case f.Shares != nil:
		return nil, fmt.Errorf("%s holds shares that were put together already: want the folder of one share", dir)
	case f.Share == nil:
		return nil, fmt.Errorf("%s holds no share, but a whole measurement: want what harness bench --shard wrote", dir)
	case len(f.Points) != 1:
		return nil, fmt.Errorf("%s has %d points, want the one of a share", dir, len(f.Points))
	case f.Points[0].Status != record.Complete:
		return nil, fmt.Errorf("%s: share %v did not come to its end (%s): its part of the load is not whole", dir,
			f.Share.Share, cmp.Or(f.Ended, string(f.Points[0].Status)))
	}
	s := &ShareData{Dir: dir, File: f}
	r := s.Record()
	if !filepath.IsLocal(r.Dir) {
		return nil, fmt.Errorf("%s: the folder of its point is %q, want one in it", dir, r.Dir)
	}
	if err := record.CheckFiles(dir, r.Files); err != nil {
		return nil, fmt.Errorf("%s: %w: measure the share again, or copy its folder again", dir, err)
	}
	in, err := os.Open(filepath.Join(dir, r.Dir, requests.JSONLName))
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // opened for reading
	all, err := requests.Read(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name(), err)
	}
	s.Part = shard.Part{
		Name: dir, Share: f.Share.Share, Common: s.commonFacts(), Zero: r.Started, Clock: f.Share.Clock, ClockError: -1,
		Requests: all, Window: f.Share.Steady,
	}
	if e := f.Share.ClockError; e != nil {
		s.Part.ClockError = time.Duration(*e)
	}
	return s, nil
}

// machineFlags lists the flags that may differ between machines: the share itself, and paths whose content the digest
// of the prompts covers. The seed is compared as a value, whether given or default.
var machineFlags = []string{"--shard", "--start-at", "--seed", "--data", "--tokenizer", "--tools", "--backend-opt"}

// commonFacts returns the values that must be equal in all shares.
func (s *ShareData) commonFacts() map[string]string {
	f := s.File
	c := map[string]string{
		"seed": strconv.FormatUint(f.Asked.Seed, 10), "version": f.Share.Version, "model": f.Server.Model,
		"server": strings.TrimSpace(strings.Join(f.Server.URLs, ",") + " " + f.Server.Kind + " " + f.Server.Version),
		"API":    f.Asked.API, "start": f.Share.Start.UTC().Format(time.RFC3339Nano),
		"the digest of the prompts": f.Share.Prompts,
	}
	for _, flag := range f.Flags {
		name, value, ok := strings.Cut(flag, "=")
		if !ok || !strings.HasPrefix(name, "--") || slices.Contains(machineFlags, name) {
			continue
		}
		if before, more := c[name]; more {
			value = before + " " + value
		}
		c[name] = value
	}
	return c
}

// JoinShares merges shares as if one client had sent everything. It judges the point by s. The record of the share with
// the lowest number provides the values that s does not set. The error is shard.ErrUnlike if the shares do not belong
// to one measurement.
func (s *PointSettings) JoinShares(all []*ShareData, p arrival.Pattern) (*SweepPoint, *sweepfile.JoinedShares,
	error) {
	parts := make([]shard.Part, len(all))
	for i, one := range all {
		parts[i] = one.Part
	}
	m, err := shard.Merge(parts)
	if err != nil {
		return nil, nil, err
	}
	all = slices.SortedFunc(slices.Values(all), func(a, b *ShareData) int {
		return cmp.Compare(a.Part.Share.Index, b.Part.Share.Index)
	})
	whole := &engine.MeasuredPoint{
		Load: p, Requests: m.Requests, Window: m.Window, StopReason: commonStopReason(all), Began: m.Zero,
		Client: mergeClients(all),
	}
	if s.MaxErrors.ServerFailed(m.Requests, s.Rules.NoTokens) {
		whole.StopReason = engine.ByErrors
	}
	window := m.Window
	if s.WholeWindow {
		window = nil
	}
	whole.Client.SetWaits(m.Requests, window)
	first := all[0].Record().Serving
	point := s.JudgePoint(whole, first.Asked.PointSeed)
	for _, r := range m.Requests {
		if r.WarmUp {
			point.WarmUp++
		}
	}
	for _, note := range m.Notes {
		point.AddNote("clocks", note)
	}
	point.inheritNotes(all)
	point.Record.Finish(nil)
	return point, describeShares(all, m), nil
}

// inheritNotes copies what only the shares' records contain: notes on data and loads, without duplicates, and the
// server's own metrics, which describe the whole server.
func (p *SweepPoint) inheritNotes(all []*ShareData) {
	seen := map[string]bool{}
	for _, n := range p.Record.Notes {
		seen[n.Text] = true
	}
	for _, one := range all {
		for _, n := range one.Record().Notes {
			if (n.About == "data" || n.About == "load") && !seen[n.Text] {
				seen[n.Text] = true
				p.AddNote(n.About, n.Text)
			}
		}
	}
	first, served := all[0].Record().Serving, p.Record.Serving
	served.Told = first.Told
	if first.Energy == nil {
		return
	}
	e := *first.Energy
	if e.PerToken = 0; served.Figures.TokensPerSec != nil && *served.Figures.TokensPerSec > 0 {
		e.PerToken = e.Watts / *served.Figures.TokensPerSec
	}
	served.Energy = &e
}

// commonStopReason returns the reason that ended the sending: failures if any share ended by failures, otherwise a
// duration if any share ended by it.
func commonStopReason(all []*ShareData) engine.StopReason {
	by := engine.ByRequests
	for _, one := range all {
		switch e := engine.StopReason(one.Record().Serving.Ended); e {
		case engine.ByErrors:
			return e
		case engine.ByDuration:
			by = e
		}
	}
	return by
}

// mergeClients returns the load of all clients together: their work is summed, and the busiest client counts for the
// share.
func mergeClients(all []*ShareData) (c engine.ClientUsage) {
	for _, one := range all {
		of := one.Record().Serving.Client
		if of == nil {
			continue
		}
		c.CPU += time.Duration(of.CPU * float64(time.Second))
		c.Cores += of.Cores
		c.Share = max(c.Share, of.Share)
		c.GCs += of.GCs
		c.GCPause += time.Duration(of.GCPause)
		c.GCLongest = max(c.GCLongest, time.Duration(of.GCLongest))
		c.Retries += of.Retries
	}
	return c
}

// describeShares returns the description of the shares for the sweep's file.
func describeShares(all []*ShareData, m *shard.Merged) *sweepfile.JoinedShares {
	s := &sweepfile.JoinedShares{Apart: int64(m.StartDifference)}
	if m.ClockError >= 0 {
		ns := int64(m.ClockError)
		s.Doubt = &ns
	}
	for _, one := range all {
		share := *one.File.Share
		share.Dir = one.Dir
		s.Of = append(s.Of, share)
	}
	return s
}
