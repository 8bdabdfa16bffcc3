package build

import "github.com/plumbline-ml/plumbline/internal/submission/system"

// systemFields returns the fields of systems/SYSTEM/system.json, which describes the whole system.
func systemFields() []system.Field {
	return []system.Field{
		{Name: "submitter_org_names", Required: true, Ask: "the name of your organisation"},
		{Name: "system_name", Required: true, Ask: "the name of the system in tables"},
		{Name: "shortened_system_name", Required: true, Ask: "a short name, at most 20 characters"},
		{Name: "division", Required: true, Ask: "Standardized, Serviced or RDI"},
		{Name: "system_availability_status", Required: true, Ask: "Available, Preview or RDI"},
		{Name: "availability_url", Ask: "where a system that is Available can be had"},
		{Name: "target_availability_date", Ask: "of a system in Preview, such as 2026-12-31"},
		{Name: "serving_framework", Required: true, Ask: "what serves the model, such as vLLM 0.30.1"},
		{Name: "endpoint_url", Ask: "the address that was measured"},
		{Name: "node_config", Ask: "what runs on which nodes"},
		{Name: "tensor_parallel", Required: true, Ask: "how many accelerators share a tensor, 1 for none"},
		{Name: "pipeline_parallel", Required: true, Ask: "how many stages a model is divided into, 1 for none"},
		{Name: "expert_parallel", Required: true, Ask: "how many accelerators experts are spread over, 1 for none"},
		{Name: "data_parallel", Required: true, Ask: "how many replicas of the model run"},
		{Name: "disaggregated", Required: true, Ask: "true or false: whether prefill and decoding run apart"},
		{Name: "batch", Ask: "the largest batch"},
		{Name: "config_summary_notes", Ask: "remarks on how the model is served"},
		{Name: "dp_shortfall_reason", Ask: "why fewer replicas run than the accelerators hold, where they do"},

		{Name: "scale_out_network", Required: true, Ask: "yes or no: whether a network with switches joins the nodes"},
		{Name: "scale_out_cabling", Ask: "passive or active_optical"},
		{Name: "scale_out_nics_per_node", Ask: "adapters of that network in a node"},
		{Name: "scale_out_nic_gbps", Ask: "speed of an adapter, Gb/s"},
		{Name: "scale_out_nic_watts", Ask: "power of an adapter; empty: the default of appendix D"},
		{Name: "scale_out_nic_source", Ask: sourceAsk},
		{Name: "scale_out_switch_model", Ask: "the switch's name"},
		{Name: "scale_out_switches", Ask: "how many switches"},
		{Name: "scale_out_switch_tbps", Ask: "speed of a switch, Tb/s"},
		{Name: "scale_out_switch_watts", Ask: "power of a switch; empty: the default of appendix D"},
		{Name: "scale_out_switch_source", Ask: sourceAsk},
		{Name: "power_notes", Ask: "remarks on the power"},
	}
}

// sourceAsk explains the source of a figure.
const sourceAsk = "the maker's page with the figure; publication or public_statement before the address where it is one"

// nodeFields returns the fields of systems/SYSTEM/nodes/NODE.json, which describes a type of node.
func nodeFields() []system.Field {
	return []system.Field{
		{Name: "number_of_nodes", Required: true, Ask: "how many machines of this kind there are"},
		{Name: "host_processor_model_name", Required: true, Ask: "the processor's name"},
		{Name: "host_processors_per_node", Required: true, Ask: "how many processors (sockets) a machine has"},
		{Name: "host_processor_core_count", Required: true, Ask: "how many cores a processor has"},
		{Name: "host_memory_capacity", Required: true, Ask: "installed memory, such as 2 TB"},
		{Name: "host_memory_configuration", Required: true, Ask: "memory modules, such as 24 x 96 GB DDR5 6000 MT/s"},
		{Name: "accelerator_model_name", Required: true, Ask: "the accelerator's name; N/A for none"},
		{Name: "accelerators_per_node", Required: true, Ask: "how many accelerators a machine has; 0 for none"},
		{Name: "accelerator_memory_capacity", Required: true, Ask: "memory of an accelerator, such as 192 GB; N/A for none"},
		{Name: "accelerator_memory_type", Required: true, Ask: "kind of that memory, such as HBM3e; N/A for none"},
		{Name: "accelerator_interconnect", Required: true, Ask: "what connects accelerators to one another; N/A for none"},
		{Name: "accelerator_host_interconnect", Required: true, Ask: "what connects them to the host; N/A for none"},
		{Name: "host_network_card_count", Required: true, Ask: "network cards, such as 8x 400 Gb/s"},
		{Name: "host_networking", Required: true, Ask: "kind and speed of the network"},
		{Name: "host_storage_capacity", Required: true, Ask: "size of the disks, such as 4 TB"},
		{Name: "host_storage_type", Required: true, Ask: "kind of the disks, such as NVMe SSD"},
		{Name: "cooling", Required: true, Ask: "air or liquid"},
		{Name: "inference_backend", Required: true, Ask: "what computes the model, such as CUDA 13.0"},
		{Name: "driver", Required: true, Ask: "the accelerator's driver and its version; N/A for none"},
		{Name: "operating_system", Required: true, Ask: "the operating system"},
		{Name: "filesystem", Required: true, Ask: "the file system that the model lies on, such as ext4"},
		{Name: "container_link", Ask: "where the container can be had"},
		{Name: "other_hardware", Ask: "other hardware"},
		{Name: "other_software_stack", Ask: "other software"},
		{Name: "hw_notes", Ask: "remarks on the hardware"},
		{Name: "sw_notes", Ask: "remarks on the software"},

		{Name: "cpu_watts", Ask: "TDP of a processor; empty: the default of appendix D"},
		{Name: "cpu_source", Ask: sourceAsk},
		{Name: "accelerator_watts", Ask: "TDP of an accelerator; empty: the default of appendix D"},
		{Name: "accelerator_source", Ask: sourceAsk},
		{Name: "scale_up_switches", Ask: "switches of the network between accelerators in a node; empty: none"},
		{Name: "scale_up_switch_watts", Ask: "power of such a switch"},
		{Name: "scale_up_source", Ask: sourceAsk},
		{Name: "scale_up_tbps", Ask: "in place of switches: bandwidth of that network, TB/s"},
		{Name: "scale_up_pj_per_bit", Ask: "and its energy for each bit, pJ"},
		{Name: "node_watts", Ask: "in place of all these: the published power of the whole node"},
		{Name: "rack_watts", Ask: "or that of a rack, of which these nodes are a part"},
		{Name: "rack_nodes", Ask: "and how many nodes such a rack has"},
		{Name: "node_source", Ask: sourceAsk},
	}
}

// modelFields returns the fields of models/MODEL.json. They contain the disclosures on the model and its data in every
// point.yaml.
func modelFields() []system.Field {
	return []system.Field{
		{Name: "model_precision", Required: true, Ask: "the precision of the weights, such as FP8"},
		{Name: "link_to_model", Required: true, Ask: "where the model can be had"},
		{Name: "link_to_model_transformation", Ask: "how it was quantised, or else changed"},
		{Name: "model_notes", Ask: "remarks on the model"},
		{Name: "dataset_name", Ask: "the data set's name, where the point does not say it"},
		{Name: "dataset_type", Ask: "Performance, Accuracy, or both with + between, where the point does not say it"},
		{Name: "dataset_link", Required: true, Ask: "where the data set can be had"},
		{Name: "shared_src", Ask: "src/IMPLEMENTATION, where src has several"},
	}
}
