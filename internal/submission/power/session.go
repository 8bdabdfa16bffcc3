package power

import (
	"cmp"
	"crypto/sha1" //nolint:gosec // the checksum that the power tools write
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// Fault is a fault in the logs of a power session.
type Fault struct {
	Path  string // relative to the tree
	About string // "sources", "uuid", "session name", "phases", "messages", "checksums", "meter", "debug", "form"
	Text  string
}

// maxSessionSize is the maximum size of client.json and server.json in bytes.
const maxSessionSize = 64 << 20

// powerSession contains the checked parts of client.json or server.json of the official power tools.
type powerSession struct {
	path string

	Sources     map[string]string `json:"sources"`
	UUID        map[string]string `json:"uuid"`
	SessionName string            `json:"session_name"`
	Messages    []sessionMessage  `json:"messages"`
	Results     map[string]string `json:"results"`
	Phases      struct {
		Ranging, Testing [][]float64
	} `json:"phases"`
	PTDMessages []sessionMessage `json:"ptd_messages"`
	PTDConfig   json.RawMessage  `json:"ptd_config"` // one device or a list of devices
	Debug       bool             `json:"debug"`
	Timezone    float64          `json:"timezone"` // of the machine, in seconds west of Greenwich, without summer time
}

// meterDevice is the meter for which the daemon was started. The power tools record a list of meters, and a single
// meter before v5.1.
type meterDevice struct {
	Type int `json:"device_type"`
}

type sessionMessage struct{ Cmd, Reply string }

// CheckSession checks the logs of a power session in a result's folder. The records of client and server must agree and
// come from the official programs and a permitted meter. The files must be those of the session, and the runs must be
// within its phases. It does not check the times and warnings in ptd_logs.txt and the order of the meter's ranges. It
// returns no faults if all is correct.
func CheckSession(t *tree.Tree, p tree.Place) []Fault {
	client, faults := readSession(t, path.Join(p.Power(), "client.json"))
	server, more := readSession(t, path.Join(p.Power(), "server.json"))
	if faults = append(faults, more...); len(faults) > 0 {
		return faults
	}
	tools, err := readTools(t.Layout.Round)
	if err != nil {
		return []Fault{{p.Power(), "form", err.Error()}}
	}
	pair := sessionPair{t, p, client, server, tools, nil}
	if tools.Unknown {
		pair.checkIdentity()
		pair.checkPhases()
		pair.checkChecksums()
		pair.checkNoDebug()
		pair.checkRuns()
		return pair.faults
	}
	pair.checkSources()
	pair.checkIdentity()
	pair.checkMessages()
	pair.checkPhases()
	pair.checkChecksums()
	pair.checkMeter()
	pair.checkRuns()
	return pair.faults
}

// requiredKeys lists the required keys of both files.
var requiredKeys = []string{
	"version", "timezone", "modules", "sources", "messages", "uuid", "session_name", "results", "phases",
}

func readSession(t *tree.Tree, name string) (*powerSession, []Fault) {
	fault := func(format string, args ...any) (*powerSession, []Fault) {
		return nil, []Fault{{name, "form", fmt.Sprintf(format, args...)}}
	}
	f, err := t.Open(name)
	if err != nil {
		return fault("%v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSessionSize+1))
	if err != nil {
		return fault("%v", err)
	}
	if len(text) > maxSessionSize {
		return fault("larger than %d bytes", maxSessionSize)
	}
	return parseSession(name, text)
}

func parseSession(name string, text []byte) (*powerSession, []Fault) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, []Fault{{name, "form", "not a JSON object: " + err.Error()}}
	}
	var missing []string
	for _, key := range requiredKeys {
		if _, has := fields[key]; !has {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		return nil, []Fault{{name, "form", "not what the power tools write, without " + strings.Join(missing, ", ")}}
	}
	s := &powerSession{path: name}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, []Fault{{name, "form", "not what the power tools write: " + bounded.ExplainJSONError("", err)}}
	}
	return s, nil
}

// sessionPair contains the records of client and server for one session.
type sessionPair struct {
	tree           *tree.Tree
	place          tree.Place
	client, server *powerSession
	tools          roundTools
	faults         []Fault
}

func (p *sessionPair) addFaultf(name, about, format string, args ...any) {
	p.faults = append(p.faults, Fault{name, about, fmt.Sprintf(format, args...)})
}

// checkSources checks the programs by the checksums of their files.
func (p *sessionPair) checkSources() {
	sources := maps.Clone(officialSources)
	maps.Copy(sources, p.tools.Sources)
	for _, s := range []*powerSession{p.client, p.server} {
		if !maps.Equal(s.Sources, sources) {
			p.addFaultf(s.path, "sources", "the programs are not the official ones: their files have other checksums")
		}
	}
}

// roundTools contains the power tools of a round if they differ from the present ones: the round's section power_tools.
type roundTools struct {
	// the round's tools are unknown, so programs, messages and meters are not checked
	Unknown bool              `json:"-"`
	Daemon  string            `json:"daemon"`  // version of the meter's daemon
	Sources map[string]string `json:"sources"` // checksums that differ from officialSources
}

// readTools returns the power tools of a round.
func readTools(round string) (roundTools, error) {
	own := roundTools{}
	rules, err := mlconf.Round(round)
	if err == nil {
		_, err = rules.Section("power_tools", &own)
		own.Unknown = rules.Checks().OtherPowerTools
	}
	own.Daemon = cmp.Or(own.Daemon, daemonVersion)
	return own, err
}

// officialSources contains the SHA-1 sums of the current power tools.
var officialSources = map[string]string{
	"__init__.py":                      "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"client.py":                        "33ca4f26368777ac06e01f9567b714a4b8063886",
	"lib/__init__.py":                  "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"lib/client.py":                    "ac2aa093c8e8bbc9569b9e2a3471bc64e58a2258",
	"lib/common.py":                    "611d8b29633d331eb19c9455ea3b5fa3284ed6df",
	"lib/external/__init__.py":         "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"lib/external/ntplib.py":           "4da8f970656505a40483206ef2b5d3dd5e81711d",
	"lib/server.py":                    "9bc9a3b6b9b716520658ac175913bcbbdb354336",
	"lib/source_hashes.py":             "60a2e02193209e8d392803326208d5466342da18",
	"lib/summary.py":                   "602a9fedfa503e5544d27ab3b0067f235047efc3",
	"lib/time_sync.py":                 "80894ef2389e540781ff78de94db16aa4203a14e",
	"server.py":                        "c3f90f2f7eeb4db30727556d0c815ebc89b3d28b",
	"tests/unit/__init__.py":           "da39a3ee5e6b4b0d3255bfef95601890afd80709",
	"tests/unit/test_server.py":        "948c1995d4008bc2aa6c4046a34ffa3858d6d671",
	"tests/unit/test_source_hashes.py": "00468a2907583c593e6574a1f6b404e4651c221a",
}

// checkIdentity checks that both files belong to one session.
func (p *sessionPair) checkIdentity() {
	for _, side := range []string{"client", "server"} {
		c, s := normalUUID(p.client.UUID[side]), normalUUID(p.server.UUID[side])
		if c != s || len(c) != 32 {
			p.addFaultf(p.server.path, "uuid", "found the %s's uuid %.40q, and in client.json %.40q", side,
				p.server.UUID[side], p.client.UUID[side])
		}
	}
	if p.client.SessionName != p.server.SessionName {
		p.addFaultf(p.server.path, "session name", "found %.60q, and in client.json %.60q", p.server.SessionName,
			p.client.SessionName)
	}
}

func normalUUID(text string) string {
	text = strings.NewReplacer("urn:", "", "uuid:", "", "{", "", "}", "", "-", "").Replace(strings.ToLower(text))
	if _, err := hex.DecodeString(text); err != nil {
		return ""
	}
	return text
}

// checkMessages checks that both sides recorded the same commands and replies. Replies to "time" may differ.
func (p *sessionPair) checkMessages() {
	c, s := p.client.Messages, p.server.Messages
	if len(c) != len(s) || len(c) == 0 {
		p.addFaultf(p.server.path, "messages", "found %d messages, and %d in client.json", len(s), len(c))
		return
	}
	for i := range c {
		if c[i].Cmd != s[i].Cmd || c[i].Cmd != "time" && c[i].Reply != s[i].Reply {
			p.addFaultf(p.server.path, "messages", "message %d is %.60q, answered %.60q, and in client.json %.60q, %.60q", i+1,
				s[i].Cmd, s[i].Reply, c[i].Cmd, c[i].Reply)
			return
		}
	}
	client, is := strings.CutPrefix(s[0].Cmd, "mlcommons/power client v")
	server, also := strings.CutPrefix(s[0].Reply, "mlcommons/power server v")
	if !is || !also || client != server {
		p.addFaultf(p.server.path, "messages",
			"the session begins with %.60q, answered %.60q, want the two names of one version",
			s[0].Cmd, s[0].Reply)
	}
}

// maxClockDifference is the maximum difference between the clocks of client and server in seconds.
const maxClockDifference = 0.8

// checkPhases checks that the times of both sides agree.
func (p *sessionPair) checkPhases() {
	for _, phase := range []struct {
		name           string
		client, server [][]float64
	}{
		{"ranging", p.client.Phases.Ranging, p.server.Phases.Ranging},
		{"testing", p.client.Phases.Testing, p.server.Phases.Testing},
	} {
		if len(phase.client) != len(phase.server) || len(phase.client) < 3 {
			p.addFaultf(p.server.path, "phases",
				"found %d checkpoints of the %s phase, and %d in client.json, want the same, 3 at "+
					"least", len(phase.server), phase.name, len(phase.client))
			continue
		}
		for i, c := range phase.client {
			s := phase.server[i]
			if len(c) == 0 || len(s) == 0 {
				p.addFaultf(p.server.path, "phases", "checkpoint %d of the %s phase has no time", i+1, phase.name)
			} else if apart := math.Abs(c[0] - s[0]); !(apart <= maxClockDifference) {
				p.addFaultf(p.server.path, "phases",
					"checkpoint %d of the %s phase is %.3f s apart from client.json's, want at most "+
						"%v s", i+1, phase.name, apart, maxClockDifference)
			}
		}
	}
}

// checkChecksums checks that the files of the session have the recorded checksums.
func (p *sessionPair) checkChecksums() {
	recorded := maps.Clone(p.client.Results)
	if recorded == nil {
		recorded = map[string]string{}
	}
	for name, sum := range p.server.Results {
		if other, both := p.client.Results[name]; both && other != sum {
			p.addFaultf(p.server.path, "checksums", "%s has the sum %.40q, and in client.json %.40q", name, sum, other)
		}
		recorded[name] = sum
	}
	for _, name := range sessionResults() {
		file := path.Join(p.place.Results(), tree.PerformanceDir, name)
		sum, err := sha1Of(p.tree, file)
		switch want, has := recorded[name]; {
		case err != nil:
			p.addFaultf(file, "checksums", "%v", err)
		case !has:
			p.addFaultf(p.server.path, "checksums", "no sum of %s", name)
		case sum != want:
			p.addFaultf(file, "checksums", "it is not the file of the session: its sum is %s, want %.40s", sum, want)
		}
	}
}

// sessionResults lists the files whose checksums the power tools record, relative to the folder performance.
func sessionResults() []string {
	var names []string
	for _, name := range tree.PowerFiles() {
		if name != "client.json" && name != "server.json" {
			names = append(names, path.Join(tree.PowerDir, name))
		}
	}
	for _, run := range []string{tree.RangingDir, tree.RunDir} {
		for _, name := range append(tree.RunFiles(), tree.PowerSamples) {
			names = append(names, path.Join(run, name))
		}
	}
	return names
}

func sha1Of(t *tree.Tree, name string) (string, error) {
	f, err := t.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha1.New() //nolint:gosec // a comparison with the recorded checksum, not a protection
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// permittedMeters contains the permitted analyzers with their device types in the daemon.
var permittedMeters = map[string]int{
	"YokogawaWT210": 8, "YokogawaWT500": 35, "YokogawaWT500_multichannel": 48, "YokogawaWT310": 49, "YokogawaWT310E": 49,
	"YokogawaWT330": 52, "YokogawaWT330E": 52, "YokogawaWT330_multichannel": 77, "YokogawaWT210_DC": 508,
	"YokogawaWT310_DC": 549, "YokogawaWT330_DC": 586,
}

// daemonVersion is the version of the meter's daemon in the present rules.
const daemonVersion = "1.11.1"

// checkMeter checks that the analyzer and the daemon are permitted and that debugging is off.
func (p *sessionPair) checkMeter() {
	p.checkNoDebug()
	reply := ""
	for _, m := range p.server.PTDMessages {
		if m.Cmd == "Identify" {
			reply = m.Reply
			break
		}
	}
	model, rest, _ := strings.Cut(reply, ",")
	_, version, _ := strings.Cut(rest, "version=")
	version, _, _ = strings.Cut(version, "-")
	if _, known := permittedMeters[model]; !known || version != p.tools.Daemon {
		p.addFaultf(p.server.path, "meter",
			"the meter answered %.80q to Identify, want one of %s with the daemon's version %s",
			reply, strings.Join(slices.Sorted(maps.Keys(permittedMeters)), ", "), p.tools.Daemon)
	}
	p.checkDevices()
	if err := checkReplies(p.server.PTDMessages); err != nil {
		p.addFaultf(p.server.path, "meter", "%v", err)
	}
}

func (p *sessionPair) checkNoDebug() {
	if p.server.Debug {
		p.addFaultf(p.server.path, "debug", "the server ran in debug mode")
	}
}

// checkDevices checks that the daemon was started for permitted meters.
func (p *sessionPair) checkDevices() {
	var list []meterDevice
	var err error
	if p.tree.Layout.OneMeter {
		list = make([]meterDevice, 1)
		err = json.Unmarshal(p.server.PTDConfig, &list[0])
	} else {
		err = json.Unmarshal(p.server.PTDConfig, &list)
	}
	switch {
	case len(p.server.PTDConfig) == 0:
		p.addFaultf(p.server.path, "form", "not what the power tools write, without ptd_config")
		return
	case err != nil:
		p.addFaultf(p.server.path, "form", "not what the power tools of the round write: %s",
			bounded.ExplainJSONError("ptd_config", err))
		return
	}
	for _, d := range list {
		if !slices.Contains(slices.Collect(maps.Values(permittedMeters)), d.Type) {
			p.addFaultf(p.server.path, "meter", "device number %d is none that the rules allow", d.Type)
		}
	}
}

// checkReplies returns an error if the daemon refused a command.
func checkReplies(messages []sessionMessage) error {
	stops := 0
	for _, m := range messages {
		want := ""
		switch {
		case strings.HasPrefix(m.Cmd, "SR,A"):
			want = "Range A changed"
		case strings.HasPrefix(m.Cmd, "SR,V"):
			want = "Range V changed"
		case strings.HasPrefix(m.Cmd, "Go,1000,"):
			want = "Starting untimed measurement, maximum 500000 samples at 1000ms with 0 rampup samples"
		case m.Cmd == "Stop":
			stops++
			want = "Stopping untimed measurement"
			if stops >= 3 {
				want = "Error: no measurement to stop"
			}
		}
		if want != "" && m.Reply != want {
			return fmt.Errorf("the daemon answered %.80q to %.40q, want %q", m.Reply, m.Cmd, want)
		}
	}
	return nil
}

// maxPowerLoss is the maximum relative amount by which the power of the counted run is below that of the ranging run.
const maxPowerLoss = 0.05

// checkRuns checks that both runs are within their phases and have about the same power.
func (p *sessionPair) checkRuns() {
	ranging := p.averagePower(p.place.Ranging(), p.client.Phases.Ranging)
	testing := p.averagePower(p.place.Run(), p.client.Phases.Testing)
	if ranging > 0 && testing > 0 && testing/ranging-1 <= -maxPowerLoss {
		p.addFaultf(path.Join(p.place.Run(), tree.PowerSamples), "phases",
			"the run drew %.5g W, and the ranging run %.5g W: "+
				"more than 5 %% less", testing, ranging)
	}
}

// averagePower returns the mean power of a run, or 0 if a fault prevents it.
func (p *sessionPair) averagePower(folder string, phases [][]float64) float64 {
	a, err := p.averageSamples(folder)
	_, zone, zoneErr := readZones(p.tree, p.place)
	switch err := errors.Join(err, zoneErr); {
	case err != nil:
		p.addFaultf(folder, "phases", "%v", err)
	case a.Samples == 0:
		p.addFaultf(path.Join(folder, tree.PowerSamples), "phases", "no sample within the run")
	case len(phases) >= 3 && (!isWithinPhase(a.Window.Begin.Add(zone), phases) ||
		!isWithinPhase(a.Window.End.Add(zone), phases)):
		p.addFaultf(folder, "phases", "the run lasted from %s to %s, which is not within the session's checkpoints",
			a.Window.Begin.Format(time.DateTime), a.Window.End.Format(time.DateTime))
	}
	return a.Watts
}

func (p *sessionPair) averageSamples(folder string) (spl.Average, error) {
	f, err := p.tree.Open(path.Join(folder, tree.DetailLog))
	if err != nil {
		return spl.Average{}, err
	}
	defer f.Close()
	log, err := mllog.ScanDetail(f)
	if err != nil {
		return spl.Average{}, err
	}
	begin, _ := log.First("power_begin")
	end, _ := log.First("power_end")
	from, _ := begin.Text()
	to, _ := end.Text()
	return AveragePower(p.tree, p.place, folder, from, to)
}

// isWithinPhase reports whether a time is between the second and the third checkpoint. A shift of one hour by summer
// time is permitted.
func isWithinPhase(t time.Time, phases [][]float64) bool {
	if len(phases[1]) == 0 || len(phases[2]) == 0 {
		return false
	}
	at := float64(t.UnixMicro()) / 1e6
	return phases[1][0] < at && at < phases[2][0] || phases[1][0] < at-3600 && at-3600 < phases[2][0]
}
