package check

import (
	"path"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
)

// Curve contains the data that Check read on a system's points for a model.
type Curve struct {
	System, Model string             // names of folders
	Regions       *endpoints.Regions // nil: C_min or C_max is unknown
	Points        []Point            // ordered by number
	Power         *power.Computation // nil: the system's power is unknown
}

// Point contains the data that Check read from a point's folder. It is nil for a file that is missing or contains no
// object.
type Point struct {
	Name        string // name of the folder: rN
	Dir         string // relative to the submission, with slashes
	Concurrency int    // from point.yaml, or else from the folder's name
	Config      *pyvalue.Dict
	Summary     *pyvalue.Dict
	System      *pyvalue.Dict
	Accuracy    *pyvalue.Dict
	Run         *pyvalue.Dict // config.yaml, the client's configuration
	Results     *pyvalue.Dict // results.json, with some of the responses
	Places      *pyvalue.Dict // sample_idx_map.json, the row of each sample in order of issue
	// KW is the power of the nodes that the point uses, in kW; 0: unknown.
	KW float64
	// Interactivity is the output tokens divided by the time of turns in seconds, for an agentic point; 0: unknown.
	Interactivity float64
}

// ReadCurves checks the submission in a folder and returns its curves and the report of Check. It returns an error if
// the folder cannot be opened.
func ReadCurves(folder string, rules *endpoints.Rules) ([]Curve, *Report, error) {
	c, err := openFolder(folder, &submissionChecker{rules: rules, keepsCurves: true})
	if err != nil {
		return nil, nil, err
	}
	return c.curves, &c.report, nil
}

// keepCurve adds a curve to the result of Curves.
func (c *submissionChecker) keepCurve(v *modelCurve, system *power.Computation) {
	if !c.keepsCurves {
		return
	}
	out := Curve{System: path.Base(path.Dir(v.dir)), Model: path.Base(v.dir), Regions: v.regions, Power: system}
	for _, p := range v.points {
		one := Point{Name: p.name, Dir: p.dir, Concurrency: p.concurrency, Summary: c.readObject(p.resultsPath()),
			System:   c.readObject(p.systemPath()),
			Accuracy: c.readObject(path.Join(p.dir, accuracyFile)), KW: p.powerKW, Results: c.readObject(path.Join(p.dir,
				resultsFile)),
			Places: c.readObject(path.Join(p.dir, placesFile))}
		one.Config, _ = c.readYAML(p.yamlPath())
		one.Run, _ = c.readYAML(path.Join(p.dir, configFile))
		if p.config != nil && p.summary != nil && p.loadPattern() == patternAgentic {
			one.Interactivity, _ = p.summary.interactivityRate()
		}
		out.Points = append(out.Points, one)
	}
	c.curves = append(c.curves, out)
}
