package tune

// Disturbed counts the trials that were INVALID though another one was VALID with the same setting at a clearly higher
// rate: the machine did something else meanwhile.
func Disturbed(trials []Trial) (n int) {
	highest := map[Setting]float64{}
	for _, t := range trials {
		if t.Valid {
			highest[t.Setting] = max(highest[t.Setting], t.TargetQPS)
		}
	}
	for _, t := range trials {
		if !t.Valid && t.TargetQPS*(1+Precision) <= highest[t.Setting] {
			n++
		}
	}
	return n
}
