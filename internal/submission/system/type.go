package system

import "github.com/plumbline-ml/plumbline/loadgen/mlconf"

// Type is the rules' type of a system by the text of system_type in a description, which must be written exactly so:
// "datacenter", "edge", "datacenter,edge" or "edge,datacenter". ok is false for all others.
func Type(text string) (kind mlconf.SystemType, ok bool) {
	switch text {
	case "datacenter":
		return mlconf.Datacenter, true
	case "edge":
		return mlconf.Edge, true
	case "datacenter,edge", "edge,datacenter":
		return mlconf.DatacenterEdge, true
	}
	return "", false
}
