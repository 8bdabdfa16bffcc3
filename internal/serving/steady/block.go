package steady

// Status states whether a run is long enough for a window, or why not.
type Status string

// The statuses in point.yaml.
const (
	Windowable           Status = "windowable"
	InsufficientDuration Status = "insufficient_duration"
	InsufficientPasses   Status = "insufficient_passes"
	PartialDataset       Status = "partial_dataset"
)

// Verdict is the detector's verdict, in the terms of point.yaml.
type Verdict string

// The verdicts in point.yaml.
const (
	SteadyState  Verdict = "STEADY STATE"
	DriftingUp   Verdict = "drifting_up"
	DriftingDown Verdict = "drifting_down"
	Shifted      Verdict = "anomaly"
	NotFound     Verdict = "not found"
)

// The states of a gating trajectory in point.yaml.
const (
	statePlateau = "Plateau"
	stateUp      = "Drifting Up"
	stateDown    = "Drifting Down"
)

// Statuses returns all statuses that point.yaml can contain.
func Statuses() []string {
	return []string{string(Windowable), string(InsufficientDuration), string(InsufficientPasses), string(PartialDataset)}
}

// Verdicts returns all verdicts that point.yaml can contain.
func Verdicts() []string {
	return []string{string(SteadyState), string(DriftingUp), string(DriftingDown), string(Shifted), string(NotFound)}
}

// States returns all states of a trajectory that point.yaml can contain.
func States() []string { return []string{statePlateau, stateUp, stateDown} }

// Block is the section steady_state of point.yaml. Its pass numbers count from the beginning of the run, including
// cropped passes.
type Block struct {
	Status  Status            `yaml:"status" json:"status"`
	Verdict Verdict           `yaml:"verdict" json:"verdict"`
	Window  *BlockWindow      `yaml:"window,omitempty" json:"window,omitempty"`
	State   map[string]string `yaml:"state,omitempty" json:"state,omitempty"` // by gating trajectory
	Anomaly *BlockAnomaly     `yaml:"anomaly,omitempty" json:"anomaly,omitempty"`
}

// BlockWindow is the steady window. End is its last pass.
type BlockWindow struct {
	Start    int     `yaml:"super_pass_start" json:"super_pass_start"`
	End      int     `yaml:"super_pass_end" json:"super_pass_end"`
	Size     int     `yaml:"super_pass_size" json:"super_pass_size"`
	Samples  int     `yaml:"n_samples" json:"n_samples"`
	Duration float64 `yaml:"duration_s" json:"duration_s"`
}

// BlockAnomaly is a later plateau with a different level.
type BlockAnomaly struct {
	ChangePoint int     `yaml:"change_point_sp" json:"change_point_sp"`
	Percent     float64 `yaml:"delta_pct" json:"delta_pct"`
}

// Block returns the section steady_state of a run with the given number of issued samples, in super-passes of size
// samples. minSeconds is the minimum duration of the window by the rules. If the status is not windowable, the whole
// run counts.
func (r Report) Block(samples, size int, minSeconds float64) Block {
	b := Block{Status: r.windowStatus(samples, size, minSeconds), Verdict: r.windowVerdict(), State: map[string]string{}}
	for _, t := range gatingTrajectories {
		b.State[t.String()] = r.trajectoryState(t, b.Status)
	}
	if r.Index >= 0 {
		b.Window = &BlockWindow{r.Warmup + r.Window.Low, r.Warmup + r.Window.High - 1, size, r.Samples, r.Duration.Window}
	}
	if r.Anomaly.Detected {
		b.Anomaly = &BlockAnomaly{r.Warmup + r.Anomaly.ChangePoint, r.Anomaly.Percent}
	}
	return b
}

func (r Report) windowStatus(samples, size int, minSeconds float64) Status {
	switch {
	case samples < size:
		return PartialDataset
	case r.Index < 0:
		return InsufficientPasses
	case r.Duration.Window < max(minSeconds, r.Duration.MinSeconds()):
		return InsufficientDuration
	}
	return Windowable
}

func (r Report) windowVerdict() Verdict {
	switch {
	case !r.Found:
		return NotFound
	case r.Anomaly.Detected:
		return Shifted
	}
	for _, d := range []struct {
		direction Direction
		verdict   Verdict
	}{{Up, DriftingUp}, {Down, DriftingDown}} {
		for _, t := range gatingTrajectories {
			if r.Trends[t.String()] == d.direction {
				return d.verdict
			}
		}
	}
	return SteadyState
}

// trajectoryState returns the state of a gating trajectory in the window, which is a plateau. If there is no window, it
// returns the state over the whole run.
func (r Report) trajectoryState(t Trajectory, s Status) string {
	switch direction := r.Trends[t.String()]; {
	case s == Windowable:
		return statePlateau
	case direction == Up:
		return stateUp
	case direction == Down:
		return stateDown
	}
	return statePlateau
}
