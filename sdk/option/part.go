package option

import "strings"

// OfPart returns the options of one of a workload's parts: those given for it, PART.KEY=VALUE, and those given for all,
// KEY=VALUE, which the former replace. PART is recognised where it is one of parts; what else has a dot is a key as any
// other. A workload of one part without a name has all options as they are.
func OfPart(given map[string]string, part string, parts []string) map[string]string {
	own := map[string]string{}
	for key, value := range given {
		if of, _ := cutPart(key, parts); of == "" {
			own[key] = value
		}
	}
	for key, value := range given {
		if of, rest := cutPart(key, parts); of != "" && of == part {
			own[rest] = value
		}
	}
	return own
}

// cutPart cuts the part off a key; part is empty where the key is of none.
func cutPart(key string, parts []string) (part, rest string) {
	for _, name := range parts {
		if rest, ok := strings.CutPrefix(key, name+"."); ok && name != "" && rest != "" {
			return name, rest
		}
	}
	return "", key
}
