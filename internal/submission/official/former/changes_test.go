package former_test

// changes are what can be wrong with a tree, or otherwise than usual, by name.
var changes = map[string]func(m *made){
	"as it is":  func(*made) {},
	"not valid": func(m *made) { m.value(results+"Offline/performance/run_1/"+detailLog, "result_validity", `"INVALID"`) },
	"no scenario": func(m *made) {
		m.value(results+"Offline/performance/run_1/"+detailLog, "effective_scenario", `"Other"`)
	},
	"few samples":   func(m *made) { m.value(mainLog, "effective_performance_sample_count", "1023") },
	"no samples":    func(m *made) { m.value(mainLog, "effective_performance_sample_count", "null") },
	"seed":          func(m *made) { m.value(mainLog, "effective_qsl_rng_seed", "1") },
	"short":         func(m *made) { m.value(mainLog, "effective_min_duration_ms", "599999") },
	"few queries":   func(m *made) { m.value(mainLog, "effective_min_query_count", "0") },
	"small query":   func(m *made) { m.value(mainLog, "effective_samples_per_query", "24575") },
	"no result":     func(m *made) { m.value(mainLog, "result_samples_per_second", `"none"`) },
	"result 0":      func(m *made) { m.value(mainLog, "result_samples_per_second", "0.0") },
	"result text":   func(m *made) { m.value(mainLog, "result_samples_per_second", `"55.50"`) },
	"no value":      func(m *made) { m.value(mainLog, "sut_name", "") },
	"an error":      func(m *made) { m.replace(mainLog, `"is_error": false`, `"is_error": true`) },
	"no mark":       func(m *made) { m.replace(mainLog, `"is_error": false, `, "") },
	"broken record": func(m *made) { m.files[mainLog] += ":::MLLOG {\n" },
	"other lines":   func(m *made) { m.files[mainLog] = "starting\n" + m.files[mainLog] },
	"no main log":   func(m *made) { m.drop(mainLog) },
	"no run":        func(m *made) { m.drop(results + "Offline/performance/run_1") },
	"file of a run": func(m *made) { m.files[results+"Offline/performance/run_1/notes.md"] = "x" },

	"summary not valid":  func(m *made) { m.replace(mainSummary, "Result is : VALID", "Result is : INVALID") },
	"summary of another": func(m *made) { m.replace(mainSummary, "Offline", "Single Stream") },
	"summary of streams": func(m *made) { m.replace(mainSummary, "Offline", "Multi Stream") },
	"a label missing":    func(m *made) { m.replace(mainSummary, "min_query_count : 24576\n", "") },
	"a result missing":   func(m *made) { m.replace(mainSummary, "Samples per second: 1234.5\n", "") },
	"result as a word":   func(m *made) { m.replace(mainSummary, "1234.5", "inf") },
	"no summary":         func(m *made) { m.drop(mainSummary) },
	"summary few samples": func(m *made) {
		m.replace(mainSummary, "performance_sample_count : 1024", "performance_sample_count : 1023")
	},
	"the word ERROR":    func(m *made) { m.files[mainLog] += "something ERROR something\n" },
	"an ignored ERROR":  func(m *made) { m.files[mainLog] += "ERROR CAS failed\n" },
	"ERROR of accuracy": func(m *made) { m.files[results+"Offline/accuracy/"+detailLog] += "ERROR\n" },

	"low accuracy":     func(m *made) { m.files[offlineText] = "accuracy=75.695%\nhash=ab\n" },
	"accuracy twice":   func(m *made) { m.files[offlineText] = "accuracy=1.5%\naccuracy=76.2%\nhash=ab\n" },
	"accuracy after":   func(m *made) { m.files[offlineText] = "hash=ab\naccuracy=76.2%\naccuracy=1.5%\n" },
	"no hash":          func(m *made) { m.files[offlineText] = "accuracy=76.2%\n" },
	"no accuracy":      func(m *made) { m.files[offlineText] = "hash=ab\n" },
	"accuracy in JSON": func(m *made) { m.files[offlineText] = `{"accuracy": 76.2}` + "\nhash=ab\n" },
	"accuracy is text": func(m *made) { m.files[offlineText] = "accuracy=76.2.1%\nhash=ab\n" },
	"no accuracy.txt":  func(m *made) { m.drop(offlineText) },
	"whole log":        func(m *made) { m.files[results+"Offline/accuracy/mlperf_log_accuracy.json"] = longText },
	"no log":           func(m *made) { m.drop(results + "Offline/accuracy/mlperf_log_accuracy.json") },
	"file of accuracy": func(m *made) { m.files[results+"Offline/accuracy/notes.md"] = "x" },
	"error of accuracy": func(m *made) {
		m.replace(results+"Offline/accuracy/"+detailLog, `error": false`, `error": true`)
	},

	"no scenario folder": func(m *made) { m.drop(results + "MultiStream") },
	"odd scenario":       func(m *made) { m.move(results+"MultiStream", results+"Burst") },
	"small letters": func(m *made) {
		for _, at := range []string{results, measures, audits} {
			m.move(at+"Offline", at+"offline")
		}
	},
	"inferred Offline": func(m *made) {
		m.files[mainLog] = m.files[results+"SingleStream/performance/run_1/"+detailLog]
	},
	"inferred Offline of streams": func(m *made) {
		m.files[mainLog] = m.files[results+"MultiStream/performance/run_1/"+detailLog]
	},
	"inferred MultiStream": func(m *made) {
		log := "Stream/performance/run_1/" + detailLog
		m.files[results+"Multi"+log] = m.files[results+"Single"+log]
	},
	"inferred without estimate": func(m *made) {
		log := results + "MultiStream/performance/run_1/" + detailLog
		m.files[log] = m.files[results+"SingleStream/performance/run_1/"+detailLog]
		m.value(log, "early_stopping_latency_ms", "0")
	},
	"model guessed": func(m *made) {
		for _, at := range []string{"results", "measurements", "compliance"} {
			m.move(lab+at+"/box/resnet50", lab+at+"/box/my-resnet50-v2")
		}
		m.move(lab+"code/resnet50", lab+"code/my-resnet50-v2")
	},
	"model unknown": func(m *made) { m.move(lab+"results/box/resnet50", lab+"results/box/gpt9") },

	"no description":    func(m *made) { m.drop(lab + "systems/box.json") },
	"status":            func(m *made) { m.replace(lab+"systems/box.json", `"available"`, `"soon"`) },
	"status in capital": func(m *made) { m.replace(lab+"systems/box.json", `"available"`, `"RDI"`) },
	"system type":       func(m *made) { m.replace(lab+"systems/box.json", `"edge"`, `"Edge"`) },
	"both types":        func(m *made) { m.replace(lab+"systems/box.json", `"edge"`, `"edge,datacenter"`) },
	"no field":          func(m *made) { m.replace(lab+"systems/box.json", `"cooling": "a cooling", `, "") },
	"empty field":       func(m *made) { m.replace(lab+"systems/box.json", `"a cooling"`, `""`) },
	"later field": func(m *made) {
		m.replace(lab+"systems/box.json", `"system_type_detail": "a system_type_detail", `, "")
	},
	"other submitter": func(m *made) { m.replace(lab+"systems/box.json", `"Lab"`, `"LAB"`) },
	"other division":  func(m *made) { m.replace(lab+"systems/box.json", `"closed"`, `"open"`) },
	"network":         func(m *made) { m.replace(lab+"systems/box.json", `{`, `{"is_network": "true", `) },
	"notes of both":   func(m *made) { m.replace(lab+"systems/box.json", `"hw_notes": ""`, `"hw_notes": "loud"`) },
	"nodes as a number": func(m *made) {
		m.replace(lab+"systems/box.json", `"number_of_nodes": "1"`, `"number_of_nodes": 2`)
	},

	"no measurements":  func(m *made) { m.drop(measures + "Offline") },
	"no user.conf":     func(m *made) { m.drop(measures + "Offline/user.conf") },
	"empty user.conf":  func(m *made) { m.files[measures+"Offline/user.conf"] = "" },
	"no model's field": func(m *made) { m.replace(measures+"Offline/box_Offline.json", `"retraining": "N",`, "") },
	"empty model's":    func(m *made) { m.replace(measures+"Offline/box_Offline.json", `"N"`, `""`) },
	"no code":          func(m *made) { m.drop(lab + "code") },
	"code elsewhere": func(m *made) {
		m.move(lab+"code/resnet50", lab+"code/vision")
		m.files[lab+"code/resnet50"] = "vision\n"
	},

	"no audits": func(m *made) { m.drop(audits + "Offline") },
	"no TEST01": func(m *made) { m.drop(audits + "Offline/TEST01") },
	"no TEST05": func(m *made) { m.drop(audits + "Offline/TEST05") },
	"TEST05 by seeds": func(m *made) {
		m.value(audits+"Offline/TEST05/performance/run_1/"+detailLog, "effective_qsl_rng_seed", "5")
	},
	"audit failed": func(m *made) { m.files[audits+"Offline/TEST01/verify_performance.txt"] = "TEST FAIL\n" },
	"audit invalid": func(m *made) {
		m.value(audits+"Offline/TEST01/performance/run_1/"+detailLog, "result_validity", `"NO"`)
	},
	"file of an audit": func(m *made) { m.files[audits+"Offline/TEST01/performance/run_1/notes.md"] = "x" },
	"outputs differ":   func(m *made) { m.files[audits+"Offline/TEST01/verify_accuracy.txt"] = "TEST FAIL\n" },
	"near enough":      func(m *made) { m.fallback("accuracy=76.0%\n", "accuracy=75.5%\n") },
	"not near enough":  func(m *made) { m.fallback("accuracy=76.0%\n", "accuracy=75.0%\n") },
	"fallback of none": func(m *made) { m.fallback("\n", "accuracy=75.0%\n") },

	"power of Offline":      func(m *made) { m.power("Offline") },
	"power of SingleStream": func(m *made) { m.power("SingleStream") },
	"power of MultiStream":  func(m *made) { m.power("MultiStream") },
	"power without texts": func(m *made) {
		m.power("Offline")
		m.drop(measures + "analyzer_table.md")
	},
	"power without a file": func(m *made) {
		m.power("Offline")
		m.drop(results + "Offline/performance/power/server.log")
	},
	"power out of time": func(m *made) {
		m.power("Offline")
		m.replace(results+"Offline/performance/run_1/spl.txt", "04-02-2021", "05-02-2021")
	},
	"a line of power": func(m *made) {
		m.power("Offline")
		m.files[results+"Offline/performance/run_1/spl.txt"] += "end\n"
	},
	"no ranging": func(m *made) {
		m.power("Offline")
		m.drop(results + "Offline/performance/ranging/" + detailLog)
	},

	"file at the top":    func(m *made) { m.files["summary.json"] = "{}" },
	"text at the top":    func(m *made) { m.files["README.md"] = "x" },
	"file of a division": func(m *made) { m.files["closed/README.md"] = "x" },
	"hidden file":        func(m *made) { m.files[lab+".gitignore"] = "x" },
	"blank in a name":    func(m *made) { m.files[lab+"code/resnet50/a b.py"] = "x" },
	"cache":              func(m *made) { m.files[lab+"code/__pycache__/a.pyc"] = "x" },
	"broken link":        func(m *made) { m.links[lab+"code/resnet50/b.py"] = "run.py" },
	"link from the top":  func(m *made) { m.links[lab+"code/resnet50/b.py"] = lab + "systems/box.json" },
	"no results":         func(m *made) { m.files["closed/Other/systems/x.json"] = "{}" },
	"another division":   func(m *made) { m.files["Closed/Other/results/x/y/z/a"] = "{}" },

	"open": func(m *made) {
		m.move("closed", "open")
		m.files["open/Lab/systems/box.json"] = describe("open")
		m.drop("open/Lab/compliance")
		m.drop("open/Lab/results/box/resnet50/MultiStream")
		m.files["open/Lab/results/box/resnet50/Offline/accuracy/accuracy.txt"] = "accuracy=12.5%\nhash=ab\n"
	},
	"open with a mapping": func(m *made) {
		m.move("closed", "open")
		m.files["open/Lab/systems/box.json"] = describe("open")
		for _, at := range []string{"results", "measurements", "code"} {
			m.move("open/Lab/"+at+"/box/resnet50", "open/Lab/"+at+"/box/tiny")
		}
		m.move("open/Lab/code/resnet50", "open/Lab/code/tiny")
		m.files["open/Lab/model_mapping.json"] = `{"tiny": "resnet"}`
	},
}

// longText is an accuracy log that is not truncated.
var longText = string(make([]byte, 10<<10+1))

const (
	detailLog   = "mlperf_log_detail.txt"
	mainSummary = results + "Offline/performance/run_1/mlperf_log_summary.txt"
	mainLog     = results + "Offline/performance/run_1/" + detailLog
	offlineText = results + "Offline/accuracy/accuracy.txt"
)

// fallback has a TEST01 whose outputs differ, with two accuracies.
func (m *made) fallback(baseline, compliance string) {
	at := audits + "Offline/TEST01/"
	m.files[at+"verify_accuracy.txt"] = "TEST FAIL\n"
	m.files[at+"accuracy/baseline_accuracy.txt"] = baseline
	m.files[at+"accuracy/compliance_accuracy.txt"] = compliance
}
