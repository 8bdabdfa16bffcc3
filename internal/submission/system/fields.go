package system

// Field is a field of systems/SYSTEM.json.
type Field struct {
	Name string
	// Required reports whether the rules require a text that is not empty.
	Required bool
	// Ask describes what a person must write if the machine does not provide the value.
	Ask string
}

// Fields returns the fields of every description in order.
func Fields() []Field {
	return []Field{
		{"submitter", true, "the name of your organisation, as its folder is called"},
		{"division", true, "closed, open or network"},
		{"status", true, "available, preview or rdi"},
		{"system_type", true, "edge, datacenter, or datacenter,edge"},
		{"system_type_detail", false, "what kind of machine it is: edge server, laptop, ..."},
		{"system_name", true, "the name of the system in tables"},
		{"number_of_nodes", true, "how many machines run the model"},

		{"host_processor_model_name", true, "the processor's name"},
		{"host_processors_per_node", true, "how many processors (sockets) a machine has"},
		{"host_processor_core_count", true, "how many cores a processor has"},
		{"host_processor_frequency", false, "clock rate of the processor"},
		{"host_processor_caches", false, "caches of the processor"},
		{"host_processor_interconnect", false, "what connects the processors"},

		{"host_memory_capacity", true, "installed memory, such as 64 GB"},
		{"host_memory_configuration", true, "memory modules, such as 4 x 16 GB DDR5 4800 MT/s"},
		{"host_storage_capacity", true, "size of the disks, such as 1 TB"},
		{"host_storage_type", true, "kind of the disks, such as NVMe SSD"},
		{"host_network_card_count", true, "how many network cards a machine has, such as 1x 10 GbE"},
		{"host_networking", true, "kind and speed of the network, such as Ethernet 10 Gb/s"},
		{"host_networking_topology", true, "how the machines are connected; N/A for one machine"},

		{"accelerators_per_node", true, "how many accelerators a machine has, as text: \"0\" for none"},
		{"accelerator_model_name", true, "the accelerator's name; N/A for none"},
		{"accelerator_frequency", false, "clock rate of the accelerator"},
		{"accelerator_memory_capacity", true, "memory of an accelerator, such as 80 GB; N/A for none"},
		{"accelerator_memory_configuration", true, "kind of that memory, such as HBM3; N/A for none"},
		{"accelerator_on-chip_memories", false, "memories on the accelerator's chip"},
		{"accelerator_host_interconnect", true, "what connects it to the host, such as PCIe Gen5 x16; N/A for none"},
		{"accelerator_interconnect", true, "what connects accelerators to one another; N/A for none"},
		{"accelerator_interconnect_topology", false, "how they are connected"},

		{"cooling", true, "air, liquid, passive"},
		{"framework", true, "what runs the model, such as ONNX Runtime 1.28"},
		{"operating_system", true, "the operating system"},
		{"other_software_stack", true, "drivers and libraries"},
		{"hw_notes", false, "remarks on the hardware"},
		{"sw_notes", false, "remarks on the software"},
	}
}

// IsNetwork is the field that states whether the model is behind a network, as the text "true" or "false".
const IsNetwork = "is_network"

// NetworkFields returns the additional fields of a description with IsNetwork. The official checker accepts empty ones.
func NetworkFields() []Field {
	return []Field{
		{"network_type", false, "Ethernet, InfiniBand, ..."},
		{"network_media", false, "copper, fibre, ..."},
		{"network_rate", false, "speed of a connection, such as 100 Gb/s"},
		{"nic_loadgen", false, "network card of the machine with LoadGen"},
		{"number_nic_loadgen", false, "how many of them it has"},
		{"net_software_stack_loadgen", false, "its network software, such as the kernel's TCP"},
		{"network_protocol", false, "protocol between LoadGen's machine and the nodes, such as gRPC over TCP"},
		{"number_connections", false, "how many connections there are"},
		{"nic_sut", false, "network card of the nodes"},
		{"number_nic_sut", false, "how many of them a node has"},
		{"net_software_stack_sut", false, "the nodes' network software"},
		{"network_topology", false, "how the machines are connected"},
	}
}

// Measurements returns the fields of a measurements.json, which describes the model of a result.
func Measurements() []Field {
	return []Field{
		{"input_data_types", true, "types of the model's inputs, such as fp32, int8 or int64"},
		{"retraining", true, "N, or Y where weights were changed by training; the closed division allows none"},
		{"starting_weights_filename", true, "the file of weights that the model was made from"},
		{"weight_data_types", true, "types of the weights, such as fp32 or int8"},
		{"weight_transformations", true, "what was done to the weights, such as quantization; none"},
	}
}
