// Package division determines the division whose rules a run follows: closed, network or open. It judges where and by
// which program the work is done, and accepts a workload's statement that it follows other rules. Other packages check
// that model and data are official and that the settings follow the rules.
//
// In the network division, this machine runs LoadGen, the QSL and the QDL, which dispatches queries. Other machines
// form the SUT. The QDL may only send queries and receive answers. A run whose QDL does more belongs to the open
// division (rules, section 6.2).
package division

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
)

// Division is a division of the rules.
type Division string

// Closed has the strictest rules. Runs that violate them belong to Open.
const (
	Closed  Division = "closed"
	Network Division = "network"
	Open    Division = "open"
)

// Names returns the names of the divisions.
func Names() []string { return []string{string(Closed), string(Network), string(Open)} }

// Parse returns the division with the given name. The empty name means Closed.
func Parse(text string) (Division, error) {
	if text == "" {
		return Closed, nil
	}
	if !slices.Contains(Names(), text) {
		return "", suggest.Unknown("division", text, Names())
	}
	return Division(text), nil
}

// Scenarios returns the scenarios of all that the division allows. The network division allows only those of the
// datacenter suite: Server and Offline.
func (d Division) Scenarios(all []loadgen.Scenario) []loadgen.Scenario {
	if d != Network {
		return all
	}
	var scenarios []loadgen.Scenario
	for _, s := range all {
		if s == loadgen.Server || s == loadgen.Offline {
			scenarios = append(scenarios, s)
		}
	}
	return scenarios
}

// Case contains the facts about a run that determine its division.
type Case struct {
	Requested Division
	Workload  sdk.WorkloadInfo
	Here      LocalAddresses
}

// Label is the division of a run, with the reasons why it differs from the requested one.
type Label struct {
	Division Division
	Reasons  []string
}

// Judge returns the division of a run.
func Judge(c Case) Label {
	switch c.Requested {
	case Open:
		return Label{Division: Open}
	case Network:
		return labelIf(Network, c.networkReasons())
	}
	return labelIf(Closed, append(c.remoteWork(), c.Workload.OpenReasons...))
}

// labelIf returns d if there are no reasons against it, and otherwise the open division.
func labelIf(d Division, reasons []string) Label {
	if len(reasons) > 0 {
		d = Open
	}
	return Label{d, reasons}
}

// remoteWork describes the work that other machines do.
func (c Case) remoteWork() []string {
	var away []string
	for _, n := range c.Workload.Nodes {
		if !c.Here.Contains(n) {
			away = append(away, n.Address)
		}
	}
	if len(away) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("backend %s leaves the work to other machines (%s), and the SUT of the closed division "+
		"is the machine that LoadGen runs on: "+
		"--division network keeps the rules for that", c.Workload.Backend, strings.Join(away, ", "))}
}

// networkReasons lists the reasons against the network division.
func (c Case) networkReasons() []string {
	var reasons []string
	for _, n := range c.Workload.Nodes {
		if c.Here.Contains(n) {
			reasons = append(reasons,
				fmt.Sprintf("node %s is this machine: SUT and LoadGen must run on physically separate systems", n.Address))
		}
		if n.Name == "" {
			reasons = append(reasons, fmt.Sprintf("node %s has no name to tell: each node of the SUT must have one", n.Address))
		}
	}
	for _, work := range c.Workload.ClientWork {
		reasons = append(reasons, "done at the client: "+work)
	}
	return append(reasons, c.Workload.OpenReasons...)
}

// LocalAddresses contains the network addresses of this machine.
type LocalAddresses struct {
	// Own contains the addresses of the network interfaces.
	Own []net.IP
	// Lookup returns the addresses of a node's host name. If it is nil, only addresses and "localhost" are resolved.
	Lookup func(host string) ([]net.IP, error)
}

// ReadLocalAddresses returns the addresses of this machine.
func ReadLocalAddresses() (LocalAddresses, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return LocalAddresses{}, fmt.Errorf("this machine's network addresses: %w", err)
	}
	h := LocalAddresses{Lookup: net.LookupIP}
	for _, a := range addresses {
		if n, ok := a.(*net.IPNet); ok {
			h.Own = append(h.Own, n.IP)
		}
	}
	return h, nil
}

// Contains reports whether a node is this machine. It uses the address that answered or, if the node was not asked, the
// address in its name. An unknown host counts as another machine.
func (h LocalAddresses) Contains(n sdk.NodeInfo) bool {
	host := hostOf(n.Peer)
	if n.Peer == "" {
		host = hostOf(n.Address)
	}
	if host == "" { // a socket in the file system
		return true
	}
	return slices.ContainsFunc(h.resolveHost(host), h.isOwn)
}

func (h LocalAddresses) resolveHost(host string) []net.IP {
	host, _, _ = strings.Cut(host, "%") // the zone of a link-local address
	if ip := net.ParseIP(host); ip != nil {
		return []net.IP{ip}
	}
	if strings.EqualFold(host, "localhost") {
		return []net.IP{net.IPv6loopback}
	}
	if h.Lookup == nil {
		return nil
	}
	found, err := h.Lookup(host)
	if err != nil {
		return nil
	}
	return found
}

func (h LocalAddresses) isOwn(ip net.IP) bool {
	return ip.IsLoopback() || ip.IsUnspecified() || slices.ContainsFunc(h.Own, ip.Equal)
}

// hostOf returns the host of HOST:PORT or of a URL; "": none.
func hostOf(address string) string {
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil {
			return ""
		}
		return u.Hostname()
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return strings.Trim(address, "[]")
	}
	return host
}
