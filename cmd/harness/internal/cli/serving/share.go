package serving

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/internal/figure"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/serving/shard"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// shareFlags selects the share of the load that this machine sends while other machines send the rest.
type shareFlags struct{ shard, startAt string }

func (f *shareFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.shard, "shard", "",
		"send one share of the load, `I/N`: 0/4 to 3/4 on four machines, all with\nthe same flags; harness bench merge "+
			"combines the records")
	flags.StringVar(&f.startAt, "start-at", "",
		"`TIME` at which all shares begin to send, by their machines' clocks:\n2026-11-24T05:00:00Z, or seconds since "+
			"1970 (date +%s)")
}

// maxStartDelay is the maximum time before the start of a share.
const maxStartDelay = 24 * time.Hour

// readShare reads the share and its start. The loads must have been read before.
func (r *benchRequest) readShare(c *cobra.Command, now time.Time) error {
	if r.shard == "" {
		if r.startAt != "" {
			return errors.New("--start-at needs --shard: a single client starts at once")
		}
		return nil
	}
	var faults []error
	var err error
	if r.share, err = shard.Parse(r.shard); err != nil {
		faults = append(faults, fmt.Errorf("--shard: %w", err))
	}
	r.start, err = parseStart(r.startAt, now)
	faults = append(faults, err)
	for _, flag := range []string{"fail-if", "also", "gpus", "price"} {
		if c.Flags().Changed(flag) {
			faults = append(faults, fmt.Errorf("--%s needs the whole load, but --shard sends only a part; give it to harness "+
				"bench merge", flag))
		}
	}
	return errors.Join(append(faults, r.checkShares()...)...)
}

// checkShares returns the reasons why a load cannot be divided into shares.
func (r *benchRequest) checkShares() (faults []error) {
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	switch {
	case r.sweep, r.search != nil:
		wrong("--shard takes one load that all shares know: leave --sweep and --find out")
		return faults
	case r.loadgen:
		wrong("--shard and --loadgen: LoadGen's tests have one client")
	case len(r.loads) > 1:
		wrong("--shard takes one load, %d were given: start the shares for each, and merge each", len(r.loads))
	}
	for _, p := range r.loads {
		if p.Users > 0 && p.Users < r.share.Of {
			wrong("--concurrency %d: want one user for each of %d shares at least", p.Users, r.share.Of)
		}
		if p.Requests > 0 && p.Requests < r.share.Of {
			wrong("--requests %d: want one request for each of %d shares at least", p.Requests, r.share.Of)
		}
	}
	return faults
}

// parseStart parses a time after now.
func parseStart(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, errors.New("--shard needs --start-at TIME, the same for all shares")
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		seconds, notNumber := strconv.ParseInt(text, 10, 64)
		if notNumber != nil {
			return at, fmt.Errorf("--start-at %q: want a time as 2026-11-24T05:00:00Z, or whole seconds since 1970", text)
		}
		at = time.Unix(seconds, 0)
	}
	switch in := at.Sub(now); {
	case in <= 0:
		return at, fmt.Errorf("--start-at %s: that is over; this machine's clock says %s", text, now.Format(time.RFC3339))
	case in > maxStartDelay:
		return at, fmt.Errorf("--start-at %s is %s, more than a day from now: this machine's clock says %s", text,
			at.UTC().Format(time.RFC3339), now.UTC().Format(time.RFC3339))
	}
	return at, nil
}

// shareFile returns the description of the share for the sweep's file; nil: the whole load.
func (s *benchSession) shareFile() *sweepfile.ShareInfo {
	if s.share.Of == 0 {
		return nil
	}
	v := shell.Version()
	version := v.Version
	if v.Commit != "" {
		version += " " + v.Commit
	}
	if v.Modified {
		version += " modified"
	}
	return &sweepfile.ShareInfo{Share: s.share, Start: s.start, Version: version}
}

// printStart prints when a share starts.
func (s *benchSession) printStart() {
	if s.share.Of == 0 || s.quiet || s.json {
		return
	}
	fmt.Fprintf(s.Stdout, "share %v begins at %s, in %s\n", s.share, s.start.Format(time.RFC3339),
		figure.Seconds(time.Until(s.start).Round(time.Second)))
}

// outputFolder returns the folder for results. Each share of a load has its own. An empty folder means bench-1 and so
// on.
func (r *benchRequest) outputFolder() string {
	if r.out == "" && r.share.Of > 0 {
		return fmt.Sprintf("share-%d-of-%d", r.share.Index, r.share.Of)
	}
	return r.out
}
