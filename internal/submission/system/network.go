package system

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const networkFolder = "sys/class/net"

// describeNetwork returns the fields on the network cards. It ignores interfaces without a device (loopback, bridges).
func describeNetwork(root fs.FS) map[string]string {
	count := map[string]int{}
	total := 0
	for _, name := range listNames(root, networkFolder) {
		if pathExists(root, networkFolder, name, "device") {
			count[describeCard(root, name)]++
			total++
		}
	}
	if total == 0 {
		return nil
	}
	var cards []string
	for _, kind := range slices.Sorted(maps.Keys(count)) {
		cards = append(cards, fmt.Sprintf("%dx %s", count[kind], kind))
	}
	kinds := strings.Join(slices.Sorted(maps.Keys(count)), ", ")
	return map[string]string{
		"host_network_card_count": strings.Join(cards, ", "), "host_networking": kinds,
		"nic_loadgen": kinds, "number_nic_loadgen": strconv.Itoa(total), // in the network division, LoadGen runs here
	}
}

// The kernel's numbers of types of network devices.
const (
	arpEthernet   = "1"
	arpInfiniBand = "32"
)

// describeCard returns a card's type and, if it is connected, its speed, such as "Ethernet 10 Gb/s".
func describeCard(root fs.FS, name string) string {
	kind := "network"
	switch readTrimmed(root, path.Join(networkFolder, name, "type")) {
	case arpEthernet:
		kind = "Ethernet"
	case arpInfiniBand:
		kind = "InfiniBand"
	}
	if pathExists(root, networkFolder, name, "wireless") {
		kind = "Wi-Fi"
	}
	mbits, err := strconv.Atoi(readTrimmed(root, path.Join(networkFolder, name, "speed")))
	switch {
	case err != nil || mbits <= 0:
		return kind
	case mbits >= 1000:
		return fmt.Sprintf("%s %g Gb/s", kind, float64(mbits)/1000)
	}
	return fmt.Sprintf("%s %d Mb/s", kind, mbits)
}
