package serve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// workloadInfo describes the open workload. model is the entry of the description.
func workloadInfo(w *openedWorkload, o sdk.Options, model sdk.ModelInfo) (sdk.WorkloadInfo, error) {
	parts, err := w.partReports(o, model)
	if err != nil {
		return sdk.WorkloadInfo{}, err
	}
	info := sdk.WorkloadInfo{
		Model:                  model.Name,
		Dataset:                cmp.Or(o.Dataset, datasetInfo(model, o).Name),
		DatasetSize:            w.workload.Len(),
		PerformanceSampleCount: samplesInMemory(w.workload, datasetInfo(model, o)),
		Batch:                  max(w.policy.MaxBatch, w.maxSequences),
		Sessions:               w.policy.Sessions,
	}
	if len(parts) == 1 {
		p := parts[0]
		info.ModelFile, info.Embedded, info.Precision = p.File, p.Embedded, p.Precision
		info.ModelSHA256, info.ModelSize = p.SHA256, p.Size
	} else {
		summarizeParts(&info, o, parts)
	}
	info.Conversations, _ = conversationsOf(w.workload)
	if ordered, ok := sdk.As[sdk.SampleOrderer](w.workload); ok {
		info.Order = ordered.Order()
	}
	if i, ok := sdk.As[sdk.WorkloadInfoAdder](w.workload); ok {
		i.AddInfo(&info)
	}
	return info, nil
}

// conversationsOf returns the conversations whose turns are the workload's samples, and the time limit of an answer.
func conversationsOf(w sdk.Workload) ([]sdk.Conversation, time.Duration) {
	r, ok := sdk.As[sdk.Replayer](w)
	if !ok {
		return nil, 0
	}
	return r.Conversations(), r.TurnTimeout()
}

// summarizeParts sets the facts in info that a result reports for a single file, for all parts together.
func summarizeParts(info *sdk.WorkloadInfo, o sdk.Options, parts []sdk.PartReport) {
	info.Parts, info.Embedded = parts, true
	var files, precisions []string
	var sums []sdk.FileSum
	for _, p := range parts {
		files = append(files, p.Name+"="+p.File)
		if !slices.Contains(precisions, p.Precision) {
			precisions = append(precisions, p.Precision)
		}
		info.Embedded = info.Embedded && p.Embedded
		if p.SHA256 != "" {
			sums = append(sums, sdk.FileSum{Name: p.Name, SHA256: p.SHA256, Size: p.Size})
		}
	}
	info.ModelFile, info.Precision = cmp.Or(o.ModelFile, strings.Join(files, ",")), strings.Join(precisions, ",")
	if len(sums) > 0 {
		info.ModelSHA256, info.ModelSize = combineSums(sums)
	}
}

// partReports describes the model of each part.
func (w *openedWorkload) partReports(o sdk.Options, model sdk.ModelInfo) ([]sdk.PartReport, error) {
	var all []sdk.PartReport
	remote := len(w.nodesOf()) > 0
	for _, p := range w.parts {
		if p.LeftOut() {
			continue
		}
		r, err := reportPart(p, o, model, remote)
		if err != nil {
			return nil, err
		}
		if s := w.source.sessionOf(p.Name); s != nil {
			r.Inputs, r.Outputs = tensorList(s.Inputs()), tensorList(s.Outputs())
		}
		all = append(all, r)
	}
	return all, nil
}

// reportPart describes a part's model. remote means that another model replaces it.
func reportPart(p sdk.Part, o sdk.Options, model sdk.ModelInfo, remote bool) (sdk.PartReport, error) {
	r := sdk.PartReport{
		Name: p.Name, File: cmp.Or(o.PartFiles[p.Name], o.ModelFile, p.Model.Path,
			p.Model.Name), Embedded: p.Model.Path == "", Precision: o.Precision,
	}
	if p.Name != "" && o.PartFiles[p.Name] == "" {
		r.File = cmp.Or(p.Model.Path, p.Model.Name)
	}
	if !remote {
		sum, err := checksumModel(p.Model)
		if err != nil {
			return r, sdk.Data(fmt.Errorf("checksum of the model: %w", err))
		}
		r.SHA256, r.Size, r.Files = sum.SHA256, sum.Size, sum.files
	}
	for _, f := range model.Files {
		if f.Part == p.Name && (f.Name == r.File || f.SHA256 != "" && f.SHA256 == r.SHA256) {
			r.File, r.Precision = f.Name, cmp.Or(f.Precision, r.Precision)
			break
		}
	}
	return r, nil
}

func tensorList(infos []backend.TensorInfo) []sdk.TensorReport {
	var all []sdk.TensorReport
	for _, t := range infos {
		all = append(all, sdk.TensorReport{Name: t.Name, Type: t.DType.String(), Shape: t.Shape})
	}
	return all
}

// datasetInfo returns the entry of the data set that o names: the first for the use that is embedded, or that is not.
func datasetInfo(m sdk.ModelInfo, o sdk.Options) sdk.DatasetInfo {
	if all := m.DatasetsFor(o.Use, o.Dataset == ""); len(all) > 0 {
		return all[0]
	}
	return sdk.DatasetInfo{}
}

// samplesInMemory returns the number of samples that fit in memory together. If the workload has its own order, it
// returns all samples.
func samplesInMemory(w sdk.Workload, d sdk.DatasetInfo) int {
	if _, ordered := sdk.As[sdk.SampleOrderer](w); ordered {
		return w.Len()
	}
	if c, ok := sdk.As[sdk.SampleCounter](w); ok {
		return c.PerformanceSampleCount()
	}
	if n := d.PerformanceSampleCount; n > 0 {
		return min(n, w.Len())
	}
	return w.Len()
}

// engineDetails returns details of the sessions or the generator for this run. If they give none, it returns those of a
// generator's session or else of the backend.
func (w *openedWorkload) engineDetails() map[string]string {
	info := sdk.WorkloadInfo{BackendInfo: w.backendDetails()}
	if i, ok := sdk.As[sdk.WorkloadInfoAdder](w.workload); ok {
		i.AddInfo(&info)
	}
	return info.BackendInfo
}

// backendDetails returns the details of the generator, a session or the backend.
func (w *openedWorkload) backendDetails() map[string]string {
	who := []any{w.engine}
	if len(w.source.sessions) > 0 {
		who = append(who, w.source.sessions[0].Session)
	}
	for _, x := range append(who, w.source.backend) {
		d, ok := x.(backend.Describer)
		if !ok {
			continue
		}
		about := d.Describe()
		if about.Version != "" || len(about.Devices)+len(about.Details) > 0 {
			return backendFacts(about)
		}
	}
	return nil
}

// backendFacts returns the facts about a backend that a result contains.
func backendFacts(about backend.Info) map[string]string {
	info := map[string]string{}
	maps.Copy(info, about.Details)
	if about.Version != "" {
		info["version"] = about.Version
	}
	if len(about.Devices) > 0 {
		info["devices"] = strings.Join(about.Devices, ", ")
	}
	return info
}
