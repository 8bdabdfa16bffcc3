package suite

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/mlmark"
	"github.com/plumbline-ml/plumbline/internal/record/names"
)

// listJobs returns the jobs of all entries in the order of the file.
func (f *suiteFile) listJobs() ([]Job, error) {
	total := 0
	for _, e := range f.entries {
		if total += e.countPoints() * e.repeat; total > maxJobs {
			return nil, fmt.Errorf("runs, entry %d: with its matrix and repeats the suite has more than %d runs; write less "+
				"into it, or several suites", e.index+1, maxJobs)
		}
	}
	var all []Job
	var faults []error
	taken := map[string]string{}
	mixed := f.isMixedFile()
	for _, e := range f.entries {
		jobs, err := e.entryJobs(f.defaults)
		faults = append(faults, err)
		for _, j := range jobs {
			if !mixed {
				j.Defaults = nil
			}
			if of, twice := taken[strings.ToLower(j.Folder)]; twice {
				return nil, fmt.Errorf("%s and %v would have the same folder %s; give one another name", of, j, j.Folder)
			}
			taken[strings.ToLower(j.Folder)] = j.String()
			all = append(all, j)
		}
	}
	if f.order == orderRuns {
		return all, errors.Join(faults...)
	}
	return orderByRepeat(all), errors.Join(faults...)
}

// isMixedFile reports whether the file contains both runs of models and measurements of servers. A default then applies
// only where the flag exists.
func (f *suiteFile) isMixedFile() bool {
	servers, models := false, false
	for _, e := range f.entries {
		servers, models = servers || len(e.bench) > 0, models || len(e.bench) == 0
	}
	return servers && models
}

// orderByRepeat orders the jobs by repeat, so that each repeat covers all entries.
func orderByRepeat(jobs []Job) []Job {
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

// entryJobs returns the jobs of an entry: all models or tasks at all points of the matrix, with repeats.
func (e *suiteEntry) entryJobs(defaults flagList) ([]Job, error) {
	var all []Job
	base := e.flags.override(defaults)
	for _, subject := range e.subjectJobs() {
		for _, p := range e.matrixPoints() {
			j := subject
			j.Point, j.Flags = p.labels, p.flags.override(base)
			j.Defaults = defaults.namesOutside(e.flags, p.flags)
			if err := e.convertToTask(&j); err != nil {
				return nil, fmt.Errorf("%v: %w", j, err)
			}
			for j.Repeat = 1; j.Repeat <= e.repeat; j.Repeat++ {
				j.Folder = jobFolder(j.Name, p.labels, j.Repeat, e.repeat)
				all = append(all, j)
			}
		}
	}
	return all, nil
}

// subjectJobs returns one job without flags for each model, task or server of the entry.
func (e *suiteEntry) subjectJobs() []Job {
	var all []Job
	for _, model := range e.models {
		all = append(all, Job{
			Entry: e.index, Name: e.jobName(model, len(e.models)), Model: model, Repeats: e.repeat, Budget: e.budget,
		})
	}
	for _, server := range e.bench {
		all = append(all, Job{
			Entry: e.index, Name: e.jobName(hostAndPort(server), len(e.bench)), Server: server, Repeats: e.repeat,
			Budget: e.budget,
		})
	}
	for i, t := range e.tasks {
		name := strings.ReplaceAll(t.String(), " ", "-")
		if len(e.tasks) > 1 {
			name = strconv.Itoa(i+1) + "-" + name
		}
		all = append(all, Job{
			Entry: e.index, Name: e.jobName(name, len(e.tasks)), Model: t.Model, Task: &t, Repeats: e.repeat, Budget: e.budget,
		})
	}
	return all
}

// hostAndPort returns the host and port of an address, which name the job of a server.
func hostAndPort(address string) string {
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	host, _, _ := strings.Cut(address, "/")
	if host = host[strings.LastIndex(host, "@")+1:]; host == "" {
		return "server"
	}
	return host
}

// convertToTask converts a job to an MLMark task if its entry requires it. The task takes the flags that are its
// parameters.
func (e *suiteEntry) convertToTask(j *Job) error {
	if e.mlmark == "" && j.Task == nil {
		return nil
	}
	var rest []Flag
	var params []mlmark.TaskParam
	for _, f := range j.Flags {
		if slices.Contains(mlmark.ParamNames(), f.Name) {
			params = append(params, mlmark.TaskParam(f))
			continue
		}
		rest = append(rest, f)
	}
	j.Flags = rest
	if j.Task != nil {
		if len(params) > 0 {
			return fmt.Errorf("%s: the configuration says it", params[0].Name)
		}
		return nil
	}
	t, err := mlmark.NewTask(j.Model, e.mlmark, params)
	j.Task = &t
	return err
}

// jobName returns the name of the jobs of a subject, which is one of several.
func (e *suiteEntry) jobName(subject string, several int) string {
	switch {
	case e.name == "" && e.mlmark != "":
		return subject + "-" + e.mlmark
	case e.name == "":
		return subject
	case several == 1:
		return e.name
	}
	return e.name + "/" + subject
}

// matrixPoint is one combination of a matrix.
type matrixPoint struct {
	flags  flagList
	labels []string
}

// matrixPoints lists all combinations, the last axis fastest. Without a matrix it returns one empty combination.
func (e *suiteEntry) matrixPoints() []matrixPoint {
	points := []matrixPoint{{}}
	for _, a := range e.axes {
		var next []matrixPoint
		for _, p := range points {
			for i, v := range a.values {
				next = append(next, matrixPoint{
					flags: v.override(p.flags), labels: append(append([]string{}, p.labels...), a.labels[i]),
				})
			}
		}
		points = next
	}
	return points
}

// jobFolder returns the folder of a job: NAME, then the point and the repeat if there are several.
func jobFolder(name string, labels []string, repeat, repeats int) string {
	parts := []string{}
	for _, part := range strings.Split(name, "/") {
		parts = append(parts, names.FileName(part))
	}
	if len(labels) > 0 {
		parts = append(parts, names.FileName(strings.Join(labels, ",")))
	}
	if repeats > 1 {
		parts = append(parts, strconv.Itoa(repeat))
	}
	return path.Join(parts...)
}
