package porter

// suffixRule replaces a suffix.
type suffixRule struct{ suffix, replacement string }

// applyRules applies the first rule whose suffix matches, if the measure of the letters before the suffix is above 0.
func applyRules(w []byte, rules []suffixRule) []byte {
	for _, r := range rules {
		if !hasSuffix(w, r.suffix) {
			continue
		}
		if stem := w[:len(w)-len(r.suffix)]; measureOf(stem) > 0 {
			return append(stem, r.replacement...)
		}
		return w
	}
	return w
}

// The tables are indexed by the last letter of the suffixes minus 'a'-1, the five low bits of its code. Entries keep
// the paper's order because "ational" must precede "tional".
var rules2 = [32][]suffixRule{
	'i' & 31: {
		{"enci", "ence"}, {"anci", "ance"}, {"bli", "ble"}, {"alli", "al"}, {"entli", "ent"}, {"eli", "e"}, {"ousli", "ous"},
		{"aliti", "al"}, {"iviti", "ive"}, {"biliti", "ble"}, {"fulli", "ful"},
	},
	'l' & 31: {{"ational", "ate"}, {"tional", "tion"}},
	'm' & 31: {{"alism", "al"}},
	'n' & 31: {{"ization", "ize"}, {"ation", "ate"}},
	'r' & 31: {{"izer", "ize"}, {"ator", "ate"}},
	's' & 31: {{"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"}},
}

var rules3 = [32][]suffixRule{
	'e' & 31: {{"icate", "ic"}, {"ative", ""}, {"alize", "al"}},
	'i' & 31: {{"iciti", "ic"}},
	'l' & 31: {{"ical", "ic"}, {"ful", ""}},
	's' & 31: {{"ness", ""}},
}

var suffixes4 = [32][]string{
	'c' & 31: {"ic"},
	'e' & 31: {"ance", "ence", "able", "ible", "ate", "ive", "ize"},
	'i' & 31: {"iti"},
	'l' & 31: {"al"},
	'm' & 31: {"ism"},
	'r' & 31: {"er"},
	's' & 31: {"ous"},
	't' & 31: {"ant", "ement", "ment", "ent"},
	'u' & 31: {"ou"},
}
