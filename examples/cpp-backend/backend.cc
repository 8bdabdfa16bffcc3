// A Plumbline backend in C++17: a model behind backend.proto, as a process of its own.
//
//     make
//     harness run null --backend process --backend-opt command=./backend
//     harness verify null --backend process --backend-opt command=./backend
//
// Your runtime takes the place of what class Model does: as it is, its one output is its one input, which is all that the
// benchmark null asks for. Everything below it is the wire.

#include <fcntl.h>
#include <grpcpp/grpcpp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "plumbline/backend/v1/backend.grpc.pb.h"

namespace wire = plumbline::backend::v1;

// Info says what a tensor of the model is; -1 is a free dimension.
struct Info {
  std::string name;
  wire::DType dtype;
  std::vector<int64_t> shape;
};

// View is an input: elements in row-major order, that belong to someone else and may be unaligned.
struct View {
  wire::DType dtype;
  std::vector<int64_t> shape;
  const char* data;
  size_t size;  // bytes
};

// Array is an output.
struct Array {
  wire::DType dtype;
  std::vector<int64_t> shape;
  std::string data;
};

// Model is yours to write. Throw std::invalid_argument of what the user's options ask for in vain, and anything else, in the
// constructor, of a model that cannot be loaded.
class Model {
 public:
  // The model is a file or a folder at request.path(), or the bytes of request.model() where the path is empty.
  explicit Model(const wire::OpenRequest& request) {
    for (const auto& [name, value] : request.options()) {
      throw std::invalid_argument("unknown option " + name + "=" + value + ", there are none");
    }
  }

  std::vector<Info> inputs() const { return {{"values", wire::FLOAT32, {-1}}}; }
  std::vector<Info> outputs() const { return inputs(); }
  std::string version() const { return "echo 1"; }

  // What it can run on, and can do beyond the least, is yours to say. With the capability "device" the model must run on
  // request.device(), and devices() are the names that it may have; without it a run that names a device is refused.
  std::vector<std::string> devices() const { return {"cpu"}; }
  std::vector<std::string> capabilities() const { return {"shared-memory", "request-ids"}; }

  // How many batches run() may be called with at a time, where so many are asked for.
  unsigned concurrency(unsigned asked) const { return std::max(asked, 1u); }

  // The outputs of these names for inputs in the order of the names. Called from several threads at a time, from the first
  // batch on.
  std::vector<Array> run(const std::vector<std::string>& input_names, const std::vector<View>& inputs,
                         const std::vector<std::string>& output_names) const {
    if (inputs.size() != 1 || input_names.size() != 1 || output_names.size() != 1) {
      throw std::runtime_error("want one input and one output");
    }
    const View& in = inputs[0];
    return {{in.dtype, in.shape, std::string(in.data, in.size)}};
  }
};

// Region is the memory that a stream shares with the plugin, if there is one.
class Region {
 public:
  ~Region() { release(); }

  void attach(const wire::Attach& message, wire::Attached* answer) {
    release();
    if (!message.has_region()) return;
    int file = open(message.region().path().c_str(), O_RDWR | O_CLOEXEC);
    void* memory = file < 0 ? MAP_FAILED : mmap(nullptr, message.region().size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    std::string why = strerror(errno);
    if (file >= 0) close(file);
    if (memory == MAP_FAILED) {
      answer->set_why(why);  // tensors then come in the messages
      return;
    }
    data_ = static_cast<char*>(memory);
    size_ = message.region().size();
    answer->set_shared(true);
  }

  View read(const wire::Tensor& t) const {
    View v{t.dtype(), {t.shape().begin(), t.shape().end()}, t.data().data(), t.data().size()};
    if (t.size() == 0) return v;
    if (t.offset() > size_ || t.size() > size_ - t.offset()) throw std::runtime_error("a tensor lies outside of the region");
    v.data = data_ + t.offset();
    v.size = t.size();
    return v;
  }

  // write puts an output at offset, if there is room, and moves offset behind it; else into the message.
  void write(const Array& a, uint64_t* offset, wire::Tensor* t) const {
    t->set_dtype(a.dtype);
    t->mutable_shape()->Add(a.shape.begin(), a.shape.end());
    if (*offset == 0 || *offset > size_ || a.data.empty() || a.data.size() > size_ - *offset) {
      t->set_data(a.data);
      return;
    }
    memcpy(data_ + *offset, a.data.data(), a.data.size());
    t->set_offset(*offset);
    t->set_size(a.data.size());
    *offset = (*offset + a.data.size() + 63) / 64 * 64;
  }

 private:
  void release() {
    if (data_ != nullptr) munmap(data_, size_);
    data_ = nullptr;
    size_ = 0;
  }

  char* data_ = nullptr;
  uint64_t size_ = 0;
};

using Stream = grpc::ServerReaderWriter<wire::RunResponse, wire::RunRequest>;

class Backend final : public wire::Backend::Service {
 public:
  explicit Backend(std::promise<void>* stop) : stop_(stop) {}

  grpc::Status Open(grpc::ServerContext*, const wire::OpenRequest* request, wire::OpenResponse* answer) override {
    try {
      model_ = std::make_unique<Model>(*request);
    } catch (const std::invalid_argument& e) {
      return {grpc::StatusCode::INVALID_ARGUMENT, e.what()};
    } catch (const std::exception& e) {
      return {grpc::StatusCode::FAILED_PRECONDITION, e.what()};
    }
    for (const Info& i : model_->inputs()) describe(i, answer->add_inputs());
    for (const Info& o : model_->outputs()) describe(o, answer->add_outputs());
    for (const std::string& d : model_->devices()) answer->add_devices(d);
    for (const std::string& c : model_->capabilities()) answer->add_capabilities(c);
    answer->set_concurrency(model_->concurrency(request->concurrency()));
    answer->set_version(model_->version());
    return grpc::Status::OK;
  }

  grpc::Status Run(grpc::ServerContext*, Stream* stream) override {
    Region region;
    std::vector<std::string> inputs, outputs;
    for (wire::RunRequest request; stream->Read(&request);) {
      wire::RunResponse answer;
      answer.set_request(request.id());
      try {
        if (request.has_attach()) {
          inputs.assign(request.attach().inputs().begin(), request.attach().inputs().end());
          outputs.assign(request.attach().outputs().begin(), request.attach().outputs().end());
          region.attach(request.attach(), answer.mutable_attached());
        } else {
          run(request, region, inputs, outputs, &answer);
        }
      } catch (const std::exception& e) {  // the batch failed; the stream goes on
        answer.clear_outputs();
        answer.set_error(e.what());
      }
      if (!stream->Write(answer)) break;
    }
    return grpc::Status::OK;
  }

  grpc::Status Close(grpc::ServerContext*, const wire::CloseRequest*, wire::CloseResponse*) override {
    stop_->set_value();
    return grpc::Status::OK;
  }

 private:
  static void describe(const Info& info, wire::TensorInfo* t) {
    t->set_name(info.name);
    t->set_dtype(info.dtype);
    t->mutable_shape()->Add(info.shape.begin(), info.shape.end());
  }

  void run(const wire::RunRequest& request, const Region& region, const std::vector<std::string>& inputs,
           const std::vector<std::string>& outputs, wire::RunResponse* answer) const {
    if (model_ == nullptr) throw std::runtime_error("a batch before Open");
    std::vector<View> views;
    for (const wire::Tensor& t : request.inputs()) views.push_back(region.read(t));
    uint64_t offset = request.output_offset();
    for (const Array& a : model_->run(inputs, views, outputs)) region.write(a, &offset, answer->add_outputs());
  }

  std::promise<void>* stop_;
  std::unique_ptr<Model> model_;
};

int main() {
  const char* folder = getenv("PLUGIN_UNIX_SOCKET_DIR");
  if (getenv("PLUMBLINE_BACKEND") == nullptr || folder == nullptr) {
    fprintf(stderr, "a backend of Plumbline: harness run MODEL --backend process --backend-opt command=./backend\n");
    return 2;
  }
  std::promise<void> stop;
  Backend backend(&stop);
  const std::string address = std::string(folder) + "/backend";
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + address, grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  builder.SetMaxSendMessageSize(-1);
  builder.RegisterService(&backend);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    fprintf(stderr, "cannot listen at %s\n", address.c_str());
    return 1;
  }
  printf("1|1|unix|%s|grpc\n", address.c_str());
  fflush(stdout);
  std::thread([] {  // the end of standard input is that of the plugin
    char buffer[256];
    while (read(STDIN_FILENO, buffer, sizeof buffer) > 0) continue;
    _exit(0);
  }).detach();
  stop.get_future().wait();
  server->Shutdown(std::chrono::system_clock::now() + std::chrono::milliseconds(500));
  return 0;
}
