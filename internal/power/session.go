package power

// SessionFiles returns the names of the official power tools' logs in the folder performance/power of a submission. The
// harness copies these files and never generates them.
func SessionFiles() []string {
	return []string{"client.json", "client.log", "ptd_logs.txt", "server.json", "server.log"}
}
