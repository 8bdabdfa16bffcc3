package compare

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
)

// servedDataFacet describes the requests to a server. Seeds may differ, because prompts of equal lengths are
// equivalent.
func servedDataFacet(s *record.Serving) map[string]string {
	streamed := "yes"
	if s.Asked.Whole {
		streamed = "no"
	}
	return map[string]string{
		"API": s.Asked.API, "data": cmp.Or(s.Asked.Data, absent), "tokens of prompts": cmp.Or(s.Asked.ISL, absent),
		"tokens of answers": cmp.Or(s.Asked.OSL, absent), "shared prefixes": cmp.Or(s.Asked.Prefix, absent),
		"streamed": streamed,
	}
}

// servedSettingsFacet describes the load on a server.
func servedSettingsFacet(s *record.Serving) map[string]string {
	orNone := func(v float64) string {
		if v == 0 {
			return absent
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	return map[string]string{
		"load": s.Load.String(), "arrival": cmp.Or(s.Load.Arrival, absent), "thinking": orNone(s.Load.Think),
		"requests at most": orNone(float64(s.Load.Cap)),
	}
}

// serverFacet describes the server.
func serverFacet(s *record.Serving) map[string]string {
	return map[string]string{
		"server": strings.TrimSpace(s.Server.Kind + " " + s.Server.Version), "address": strings.Join(s.Server.URLs, ", "),
	}
}
