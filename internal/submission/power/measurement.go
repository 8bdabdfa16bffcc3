package power

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// IsMeasured reports whether a result has a power measurement: the folder of the meter's files exists.
func IsMeasured(t *tree.Tree, p tree.Place) bool {
	_, ok := t.Entry(p.Power())
	return ok
}

// Difference describes how a folder's files differ from the required ones.
type Difference struct {
	Folder         string // relative to the tree
	NoFolder       bool
	Missing, Extra []string // names, sorted
}

// Differences compares the files of the folders run_1, ranging and power with the required ones. It returns one
// Difference per differing folder.
func Differences(t *tree.Tree, p tree.Place) []Difference {
	logs := append(tree.RunFiles(), tree.PowerSamples)
	var all []Difference
	for _, folder := range []struct {
		path            string
		files, optional []string
	}{
		{p.Run(), logs, []string{tree.AccuracyLog}},
		{p.Ranging(), logs, []string{tree.AccuracyLog}},
		{p.Power(), tree.PowerFiles(), nil},
	} {
		if d := compareFolder(t, folder.path, folder.files, folder.optional); d.NoFolder || len(d.Missing)+len(d.Extra) > 0 {
			all = append(all, d)
		}
	}
	return all
}

func compareFolder(t *tree.Tree, folder string, files, optional []string) Difference {
	d := Difference{Folder: folder, NoFolder: !t.HasDir(folder)}
	for _, name := range files {
		if !t.HasFile(path.Join(folder, name)) {
			d.Missing = append(d.Missing, name)
		}
	}
	for _, e := range t.Entries(folder) {
		if !e.Dir && !slices.Contains(files, e.Name) && !slices.Contains(optional, e.Name) && !tree.IsExtra(e.Name) {
			d.Extra = append(d.Extra, e.Name)
		}
	}
	slices.Sort(d.Missing)
	return d
}

// AveragePower averages the samples of a folder of logs, Place.Run or Place.Ranging of p, between the times with the
// keys begin and end in its detail log. The average contains the faulty lines. Average returns an error if a time or a
// file cannot be read. The window of the average is in the time of the samples.
func AveragePower(t *tree.Tree, p tree.Place, folder, begin, end string) (spl.Average, error) {
	w, err := spl.ParseWindow(begin, end)
	if err != nil {
		return spl.Average{}, err
	}
	client, server, err := readZones(t, p)
	if err != nil {
		return spl.Average{}, err
	}
	w = spl.Window{Begin: w.Begin.Add(client - server), End: w.End.Add(client - server)}
	f, err := t.Open(path.Join(folder, tree.PowerSamples))
	if err != nil {
		return spl.Average{}, err
	}
	defer f.Close()
	text, err := pyvalue.ReadText(f, maxSamplesSize)
	if err != nil {
		return spl.Average{}, err
	}
	return w.Average(strings.NewReader(text))
}

// readZones returns the offsets of the times in the run's log and in the samples from UTC. They are 0 since v2.0.
// Before, the power tools recorded the time zones of the two machines.
func readZones(t *tree.Tree, p tree.Place) (client, server time.Duration, err error) {
	rules, err := mlconf.Round(t.Layout.Round)
	if err != nil || !rules.Checks().Zones {
		return 0, 0, err
	}
	var zones []time.Duration
	for _, name := range []string{"client.json", "server.json"} {
		s, faults := readSession(t, path.Join(p.Power(), name))
		if len(faults) > 0 {
			return 0, 0, fmt.Errorf("the zone of %s is not known: %s", name, faults[0].Text)
		}
		zones = append(zones, time.Duration(s.Timezone*float64(time.Second)))
	}
	return zones[0], zones[1], nil
}

// maxSamplesSize is the maximum size of the file of samples in bytes. A week with one sample per second fits.
const maxSamplesSize = 64 << 20
