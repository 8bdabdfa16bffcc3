package pool

import (
	"maps"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Describe combines the descriptions of the devices and adds the share of each. A detail that is equal for all devices
// appears once; other details appear for each device.
func (w *devicePool[E]) Describe() backend.Info {
	all := backend.Info{Details: map[string]string{}, Shares: w.Shares()}
	infos := make([]backend.Info, len(w.members))
	keys := map[string]bool{}
	for i, m := range w.members {
		all.Devices = append(all.Devices, m.name)
		d, ok := any(m.engine).(backend.Describer)
		if !ok {
			continue
		}
		infos[i] = d.Describe()
		for key := range infos[i].Details {
			keys[key] = true
		}
	}
	all.Version = w.joinTexts(infos, func(i backend.Info) string { return i.Version })
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all.Details[key] = w.joinTexts(infos, func(i backend.Info) string { return i.Details[key] })
	}
	return all
}

// joinTexts returns the text that all devices have in common, or each device's text with its name.
func (w *devicePool[E]) joinTexts(infos []backend.Info, text func(backend.Info) string) string {
	first, differ := text(infos[0]), false
	var parts []string
	for i, info := range infos {
		t := text(info)
		differ = differ || t != first
		if t != "" {
			parts = append(parts, t+" ("+w.members[i].name+")")
		}
	}
	if !differ {
		return first
	}
	return strings.Join(parts, ", ")
}
