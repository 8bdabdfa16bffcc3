package suite

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// jobs lists the jobs of all entries in the order of the file.
func (f *file) jobs() ([]Job, error) {
	total := 0
	for _, e := range f.entries {
		if total += e.points() * e.repeat; total > mostJobs {
			return nil, fmt.Errorf("runs, entry %d: with its matrix and repeats the suite has more than %d runs; write less "+
				"into it, or several suites", e.index+1, mostJobs)
		}
	}
	var all []Job
	taken := map[string]string{}
	for _, e := range f.entries {
		for _, j := range e.jobs(f.defaults) {
			if of, twice := taken[strings.ToLower(j.Folder)]; twice {
				return nil, fmt.Errorf("%s and %v would have the same folder %s; give one another name", of, j, j.Folder)
			}
			taken[strings.ToLower(j.Folder)] = j.String()
			all = append(all, j)
		}
	}
	if f.order == orderRuns {
		return all, nil
	}
	return inRounds(all), nil
}

// inRounds goes through all entries once for each repeat.
func inRounds(jobs []Job) []Job {
	var all []Job
	for round := 1; len(all) < len(jobs); round++ {
		for _, j := range jobs {
			if j.Repeat == round {
				all = append(all, j)
			}
		}
	}
	return all
}

// jobs are those of one entry: each model at each point of the matrix, as often as it is repeated.
func (e *entry) jobs(defaults flags) []Job {
	var all []Job
	base := e.flags.over(defaults)
	for _, model := range e.models {
		name := e.nameOf(model)
		for _, p := range e.matrix() {
			for r := 1; r <= e.repeat; r++ {
				all = append(all, Job{
					Entry: e.index, Name: name, Point: strings.Join(p.labels, ","), Repeat: r, Repeats: e.repeat, Model: model,
					Flags: p.flags.over(base), Budget: e.budget, Folder: folder(name, p.labels, r, e.repeat),
				})
			}
		}
	}
	return all
}

// nameOf names the jobs of a model of the entry.
func (e *entry) nameOf(model string) string {
	switch {
	case e.name == "":
		return model
	case len(e.models) == 1:
		return e.name
	}
	return e.name + "/" + model
}

// point is one combination of a matrix.
type point struct {
	flags  flags
	labels []string
}

// matrix lists the combinations, the last axis fastest; one without anything where there is no matrix.
func (e *entry) matrix() []point {
	points := []point{{}}
	for _, a := range e.axes {
		var next []point
		for _, p := range points {
			for i, v := range a.values {
				next = append(next, point{
					flags: v.over(p.flags), labels: append(append([]string{}, p.labels...), a.labels[i]),
				})
			}
		}
		points = next
	}
	return points
}

// folder is that of a job: NAME, then the point and the repeat where there are several.
func folder(name string, labels []string, repeat, repeats int) string {
	var parts []string
	for _, part := range strings.Split(name, "/") {
		parts = append(parts, folderName(part))
	}
	if len(labels) > 0 {
		parts = append(parts, folderName(strings.Join(labels, ",")))
	}
	if repeats > 1 {
		parts = append(parts, strconv.Itoa(repeat))
	}
	return path.Join(parts...)
}

// folderName is a text as the name of a folder everywhere: what may not be part of one becomes "-".
func folderName(text string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._=+,-", r) {
			return r
		}
		return '-'
	}, text)
	if clean = strings.TrimLeft(clean, "."); clean == "" {
		return "-"
	}
	return clean[:min(len(clean), 100)]
}
