package endpoints

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// IsReplay reports whether a configuration of the endpoints harness requests a replay of recorded conversations.
func IsReplay(text []byte) bool {
	root, err := readMapping(text)
	return err == nil && configSection{configReader: &configReader{TranslatedConfig: &TranslatedConfig{}},
		keys: root}.isReplay()
}

// isReplay reports whether the load pattern is a replay.
func (s configSection) isReplay() bool {
	settings, _ := s.keys["settings"].(map[string]any)
	pattern, _ := settings["load_pattern"].(map[string]any)
	return pattern["type"] == replayPattern
}

// readReplay reads the configuration of a replay and writes the flags of harness run.
func (c *configReader) readReplay(s configSection) {
	c.IsReplay = true
	s.checkKeys(rootKeys)
	s.rejectKeys("harness submission makes those; take it out", "submission_ref", "benchmark_mode", "audit")
	s.rejectKeys("max_duration_ms bounds a replay; take it out", "timeout")
	s.ignoreKeys("version", "type", "name", "verbose", "enable_cpu_affinity")
	e := s.subsection("endpoint_config", "endpoints", "api_key", "api_type")
	c.readEndpoint(e)
	if c.api != "chat" {
		e.addFaultf(e.pathOf("api_type"), "conversations are chats: want openai")
	}
	c.addFlag("--backend", "openai", "--backend-opt", "url="+c.Address)
	c.readKeyFlag(e)
	c.readReplayModel(s.subsection("model_params", modelKeys...))
	c.readReplayData(s)
	c.readReplaySettings(s.subsection("settings", settingsKeys...))
	if out := s.textAt("report_dir"); out != "" {
		c.addFlag("--out", out)
	}
}

// readReplayModel reads the benchmark's parameters and the other fields of each request's body.
func (c *configReader) readReplayModel(s configSection) {
	if name := s.textAt("name"); name != "" {
		c.addFlag("--backend-opt", "model="+name)
	} else {
		s.addFaultf(s.pathOf("name"), "want the model's name at the server")
	}
	for _, key := range []string{keyTemperature, keySeed, keyMaxTokens} {
		if n, ok := s.numberAt(key, 0, key != keyTemperature); ok {
			c.Params = append(c.Params, Param{key, formatNumber(n)})
		}
	}
	for _, key := range []string{"top_k", "top_p", "repetition_penalty", "presence_penalty", "frequency_penalty"} {
		if n, ok := s.numberAt(key, -2, key == "top_k"); ok {
			c.addFlag("--backend-opt", "body."+key+"="+formatNumber(n))
		}
	}
	if v := s.keys["chat_template_kwargs"]; v != nil {
		text, err := json.Marshal(v)
		if _, ok := v.(map[string]any); !ok || err != nil {
			s.addFaultf(s.pathOf("chat_template_kwargs"), "%s, want a mapping", shortValue(v))
		}
		c.addFlag("--backend-opt", "body.chat_template_kwargs="+string(text))
	}
	if stream := s.textAt("streaming"); !slices.Contains([]string{"", "auto", "on"}, stream) {
		s.addFaultf(s.pathOf("streaming"), "%s: answers of a replay are streamed; want on", stream)
	}
	s.rejectKeys("a replay has nothing like it; take it out", "min_new_tokens", "skip_special_tokens", "osl_distribution")
	s.ignoreKeys("tokenizer_name")
}

// readReplayData reads the file of conversations, and the file of accuracy questions if there is one.
func (c *configReader) readReplayData(s configSection) {
	measured, mode := 0, "performance"
	for d := range c.eachDataset(s) {
		file := d.textAt("path")
		switch kind := d.textAt("type"); {
		case kind == "accuracy" && file != "":
			c.addFlag("--accuracy-dataset", file)
			mode = "submission" // performance and accuracy
		case kind == "accuracy":
			c.Notes = append(c.Notes, d.path+": it has no path, and is not asked; want path: the folder of its files, or "+
				"harness run with --mode accuracy --accuracy-dataset DIR")
		case kind == "" || kind == "performance":
			if measured++; file == "" {
				d.addFaultf(d.pathOf("path"), "%s: want the file of the conversations", shortValue(d.textAt("name")))
			}
			c.addFlag("--dataset", file)
			c.readReplayTurns(d.subsection("agentic_inference", keyTimeout, "enable_salt", "inject_tool_delay",
				"routing_headers",
				"num_trajectories_to_issue", "stop_issuing_on_first_user_complete"))
		default:
			d.addFaultf(d.pathOf("type"), "%s, want performance or accuracy", shortValue(kind))
		}
	}
	if measured != 1 {
		s.addFaultf("datasets", "%d of type performance, want one", measured)
	}
	c.addFlag("--mode", mode)
}

// readReplayTurns reads the settings of turns.
func (c *configReader) readReplayTurns(s configSection) {
	if n, ok := s.numberAt(keyTimeout, 1, true); ok {
		c.Params = append(c.Params, Param{keyTimeout, formatNumber(n)})
	}
	if s.boolAt("enable_salt", false) {
		s.addFaultf(s.pathOf("enable_salt"), "true: texts are sent as they are recorded; want false")
	}
	if s.boolAt("inject_tool_delay", false) {
		s.addFaultf(s.pathOf("inject_tool_delay"), "true: the next turn goes out when the answer has come; want false")
	}
	if v := s.keys["routing_headers"]; v != nil && fmt.Sprint(v) != "[X-Session-ID]" {
		s.addFaultf(s.pathOf("routing_headers"), "%v: each turn has X-Session-ID alone", v)
	}
	if n, ok := s.numberAt("num_trajectories_to_issue", 1, true); ok {
		c.Notes = append(c.Notes, fmt.Sprintf("%s: all conversations of the file are replayed, each once: %v of them are "+
			"wanted", s.pathOf("num_trajectories_to_issue"), n))
	}
	s.ignoreKeys("stop_issuing_on_first_user_complete")
}

// readReplaySettings reads the seeds and the duration, which are settings of the run.
func (c *configReader) readReplaySettings(s configSection) {
	p := s.subsection("load_pattern", loadKeys...)
	if n, ok := p.numberAt("target_concurrency", 1, true); ok && n != 1 {
		p.addFaultf(p.pathOf("target_concurrency"), "%v: turns go out one at a time; want 1", n)
	}
	p.rejectKeys("a replay has no rate; take it out", "target_qps")
	p.ignoreKeys("use_legacy_loadgen_qps_metrics")
	r := s.subsection("runtime", runtimeKeys...)
	least, most := r.millisAt("min_duration_ms", defaultMinDuration), r.millisAt("max_duration_ms", noMaxDuration)
	if most != noMaxDuration && most < least {
		r.addFaultf(r.pathOf("max_duration_ms"), "%v ms, want no less than min_duration_ms, %v", most, least)
	}
	c.addFlag("--set", "min_duration="+formatNumber(least), "--set", "max_duration="+formatNumber(most))
	c.addFlag("--set", "schedule_rng_seed="+r.seedAt("scheduler_random_seed"))
	c.addFlag("--set", "sample_index_rng_seed="+r.seedAt("dataloader_random_seed"))
	r.rejectKeys("all turns of the conversations are asked; take it out", "n_samples_to_issue")
	w := s.subsection("warmup", warmupKeys...)
	if w.boolAt("enabled", false) {
		w.addFaultf(w.pathOf("enabled"), "true: a replay has no warm-up of requests; want false")
	}
	client := s.subsection("client", clientKeys...)
	if client.boolAt("insecure", false) {
		c.addFlag("--backend-opt", "insecure=true")
	}
	for _, key := range []string{"num_workers", "max_connections"} {
		if n, ok := client.numberAt(key, -1, true); ok && n > 1 {
			client.addFaultf(client.pathOf(key), "%v: turns go out one at a time; want 1", n)
		}
	}
	client.ignoreKeys(slices.DeleteFunc(slices.Sorted(maps.Keys(client.keys)), func(key string) bool {
		return key == "insecure" || key == "num_workers" || key == "max_connections"
	})...)
	s.subsection("profiling", "engine", "urls").rejectKeys(unsupportedAdvice, "engine", "urls")
	s.ignoreKeys("drain", "early_stopping", "service_ready_timeout_s")
}
