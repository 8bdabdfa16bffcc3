package system

import "github.com/plumbline-ml/plumbline/loadgen/mlconf"

// ParseType returns the rules' system type for the value of system_type in a description. Only "datacenter", "edge",
// "datacenter,edge" and "edge,datacenter" are valid. ok is false for other texts.
func ParseType(text string) (kind mlconf.SystemType, ok bool) {
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
