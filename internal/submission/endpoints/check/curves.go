package check

import (
	"path"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/power"
)

// Curve contains the data that Check read for a system's points of a model.
type Curve struct {
	System, Model string             // names of folders
	Regions       *endpoints.Regions // nil where C_min or C_max is not known
	Points        []Point            // by number
	Power         *power.Computation // nil where the system's power is not known
}

// Point contains the data that Check read from a point's folder. A file that is missing or contains no object is nil.
type Point struct {
	Name        string // of the folder: rN
	Dir         string // in the submission, with slashes
	Concurrency int    // of point.yaml, or else of the folder
	Config      *pyvalue.Dict
	Summary     *pyvalue.Dict
	System      *pyvalue.Dict
	Accuracy    *pyvalue.Dict
	Run         *pyvalue.Dict // config.yaml, what the client ran
	Results     *pyvalue.Dict // results.json, with some of the responses
	Places      *pyvalue.Dict // sample_idx_map.json, the row of each sample in the order of issue
	// KW is the power of the nodes that the point engages, in kW; 0 where it is not known.
	KW float64
	// Interactivity is output tokens over the time of turns, per second, of an agentic point; 0 where it is not known.
	Interactivity float64
}

// Curves are those of the submission at a folder, beside what Check says of it. The error is of a folder that cannot be
// opened.
func Curves(folder string, rules *endpoints.Rules) ([]Curve, *Report, error) {
	c, err := openFolder(folder, &submissionChecker{rules: rules, keeps: true})
	if err != nil {
		return nil, nil, err
	}
	return c.curves, &c.report, nil
}

// keepCurve adds a curve to those that Curves returns, where they are wanted.
func (c *submissionChecker) keepCurve(v *modelCurve, system *power.Computation) {
	if !c.keeps {
		return
	}
	out := Curve{System: path.Base(path.Dir(v.dir)), Model: path.Base(v.dir), Regions: v.regions, Power: system}
	for _, p := range v.points {
		one := Point{Name: p.name, Dir: p.dir, Concurrency: p.concurrency, Summary: c.readObject(p.resultsPath()),
			System:   c.readObject(p.systemPath()),
			Accuracy: c.readObject(path.Join(p.dir, accuracyFile)), KW: p.kw, Results: c.readObject(path.Join(p.dir,
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
