#include "runtime/loaded_executable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "isa/text/text.h"

namespace trainyard::runtime {
namespace {

using compiler::ElementType;

// y = 2 x over 128 x 4 floats.
constexpr std::string_view kDouble = R"(program double target trn2
x: hbm f32[128,4] in
y: hbm f32[128,4] out
t: sbuf f32[128,4]
load: dma_copy t <- x
twice: tensor_scalar t <- t op0=multiply operand0=2.0
store: dma_copy y <- t
)";
// The same in place.
constexpr std::string_view kDoubleInPlace = R"(program in_place target trn2
x: hbm f32[128,4] inout
t: sbuf f32[128,4]
load: dma_copy t <- x
twice: tensor_scalar t <- t op0=multiply operand0=2.0
store: dma_copy x <- t
)";
constexpr int64_t kCount = 512;

class LoadedExecutableTest : public testing::Test {
 protected:
  LoadedExecutableTest() { start(Mode::Values); }

  void start(Mode mode) {
    Settings settings{.machine = *hw::find_target("trn2"), .mode = mode};
    client_ = std::make_unique<Client>(std::make_shared<Process>(2), settings);
  }
  Device& device(int id = 0) { return *client_->devices()[static_cast<size_t>(id)]; }

  std::unique_ptr<LoadedExecutable> load(std::string_view text, bool donated,
                                         std::vector<isa::TensorId> outputs) {
    Result<isa::Program> program = isa::parse_text(text, "test.tya");
    EXPECT_TRUE(program.ok()) << program.status().str();
    compiler::Executable executable;
    executable.name = program->name;
    executable.program = std::move(*program);
    executable.arguments = {{.type = *type_, .tensor = 0, .donated = donated, .alias = 0}};
    for (const isa::TensorId tensor : outputs) executable.outputs.push_back({*type_, tensor, ""});
    auto code = Code::load(std::move(executable), client_->settings(), 1);
    EXPECT_TRUE(code.ok()) << code.status().str();
    auto loaded = LoadedExecutable::load(*client_, device(), *code);
    EXPECT_TRUE(loaded.ok());
    return std::move(*loaded);
  }
  std::unique_ptr<LoadedExecutable> load_double(bool donated = false) {
    return load(kDouble, donated, {1});
  }

  std::unique_ptr<Buffer> put(float first, int on = 0) {
    std::vector<float> values(kCount);
    for (int64_t i = 0; i < kCount; ++i) values[i] = first + static_cast<float>(i);
    auto buffer =
        buffer_from_host(device(on), type_, reinterpret_cast<std::byte*>(values.data()), {});
    EXPECT_TRUE(buffer.ok());
    return std::move(*buffer);
  }
  static std::vector<float> get(const Buffer& buffer) {
    std::vector<float> values(kCount, -1);
    EXPECT_TRUE(buffer.copy_to_host(reinterpret_cast<std::byte*>(values.data()), {})->wait().ok());
    return values;
  }

  TypeRef type_ =
      std::make_shared<const compiler::TensorType>(compiler::tensor_of(ElementType::F32, {128, 4}));
  std::unique_ptr<Client> client_;
};

TEST_F(LoadedExecutableTest, ALaunchDeliversItsResult) {
  const auto program = load_double();
  const auto x = put(1);
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(get(*launch->outputs[0])[5], 12);
  EXPECT_TRUE(launch->complete->wait().ok());
  EXPECT_FALSE(x->is_deleted());
}

TEST_F(LoadedExecutableTest, AChainOfLaunchesRunsInOrder) {
  const auto program = load_double();
  std::unique_ptr<Buffer> x = put(1);
  for (int i = 0; i < 10; ++i) {
    Buffer* arguments[] = {x.get()};
    auto launch = program->launch(arguments);
    ASSERT_TRUE(launch.ok());
    x = std::move(launch->outputs[0]);
  }
  EXPECT_EQ(get(*x)[0], 1024);
}

TEST_F(LoadedExecutableTest, AProgramThatWorksInPlaceTakesTheDonatedMemory) {
  const auto program = load(kDoubleInPlace, true, {0});
  const auto x = put(1);
  const std::byte* memory = x->storage()->bytes().data();
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok());
  EXPECT_TRUE(x->is_deleted());
  EXPECT_EQ(get(*launch->outputs[0])[1], 4);
  EXPECT_EQ(launch->outputs[0]->storage()->bytes().data(), memory);
}

TEST_F(LoadedExecutableTest, AReaderKeepsDonatedMemoryFromBeingOverwritten) {
  const auto program = load(kDoubleInPlace, true, {0});
  const auto x = put(1);
  const std::shared_ptr<Storage> reader = x->storage();
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(get(*launch->outputs[0])[0], 2);
  EXPECT_EQ(reinterpret_cast<const float*>(reader->bytes().data())[0], 1);
}

TEST_F(LoadedExecutableTest, WhatIsNotDonatableStaysAndIsCopied) {
  const auto program = load(kDoubleInPlace, true, {0});
  const auto x = put(1);
  Buffer* arguments[] = {x.get()};
  const int64_t keep[] = {0};
  auto launch = program->launch(arguments, keep);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(get(*launch->outputs[0])[0], 2);
  EXPECT_EQ(get(*x)[0], 1);
}

TEST_F(LoadedExecutableTest, OneTensorMayBeReturnedTwice) {
  const auto program = load(kDouble, false, {1, 1});
  const auto x = put(3);
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok());
  launch->outputs[0]->remove();
  EXPECT_EQ(get(*launch->outputs[1])[0], 6);
}

TEST_F(LoadedExecutableTest, WrongArgumentsAreRefusedBeforeAnythingHappens) {
  const auto program = load_double(true);
  const auto x = put(1);
  EXPECT_EQ(program->launch({}).status().code(), "TY-RUN-026");
  const auto elsewhere = put(1, 1);
  Buffer* far[] = {elsewhere.get()};
  EXPECT_EQ(program->launch(far).status().code(), "TY-RUN-026");
  EXPECT_FALSE(elsewhere->is_deleted());
  Buffer* arguments[] = {x.get()};
  x->remove();
  EXPECT_EQ(program->launch(arguments).status().code(), "TY-RUN-023");
}

TEST_F(LoadedExecutableTest, AFailedArgumentFailsTheResults) {
  const auto program = load_double();
  auto storage = make_storage(device(), type_);
  Buffer broken(type_, device(), *storage, Event::failed(error("TY-RUN-010", "out of bounds")));
  Buffer* arguments[] = {&broken};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok());
  EXPECT_EQ(launch->outputs[0]->ready()->wait().code(), "TY-RUN-010");
  std::vector<float> values(kCount);
  const auto read =
      launch->outputs[0]->copy_to_host(reinterpret_cast<std::byte*>(values.data()), {});
  EXPECT_EQ(read->wait().code(), "TY-RUN-010");
}

TEST_F(LoadedExecutableTest, AnArgumentOnItsWayFromAnotherDeviceIsWaitedFor) {
  const auto program = load_double();
  auto storage = make_storage(device(), type_);
  ASSERT_TRUE((*storage)->back().ok());
  auto arrives = std::make_shared<Event>();
  Buffer late(type_, device(), *storage, arrives);
  Buffer* arguments[] = {&late};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok());
  EXPECT_FALSE(launch->complete->is_ready());
  std::ranges::fill(std::span(reinterpret_cast<float*>((*storage)->bytes().data()), kCount), 4.f);
  arrives->set();
  EXPECT_EQ(get(*launch->outputs[0])[7], 8);
}

TEST_F(LoadedExecutableTest, ResultsThatDoNotFitLeaveTheArgumentsAlone) {
  const auto program = load(kDouble, false, {1});
  const auto x = put(1);
  const MemoryStats stats = device().memory().stats();
  auto rest = device().memory().reserve(stats.limit - stats.in_use, {type_, nullptr});
  Buffer* arguments[] = {x.get()};
  EXPECT_EQ(program->launch(arguments).status().code(), "TY-RUN-020");
  EXPECT_EQ(get(*x)[0], 1);
}

TEST_F(LoadedExecutableTest, CodeAndTensorsInsideTakeDeviceMemory) {
  constexpr std::string_view kThroughHbm = R"(program through target trn2
x: hbm f32[128,4] in
y: hbm f32[128,4] out
z: hbm f32[128,4]
first: dma_copy z <- x
second: dma_copy y <- z
)";
  const int64_t before = device().memory().stats().in_use;
  const auto program = load(kThroughHbm, false, {1});
  EXPECT_EQ(device().memory().stats().in_use - before, program->code().sizes().code_bytes);
  EXPECT_EQ(program->code().sizes().scratch_bytes, 4 * kCount);
  const auto x = put(1);
  device().memory().clear_peak();
  const int64_t start = device().memory().stats().in_use;
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  EXPECT_EQ(get(*launch->outputs[0])[0], 1);
  EXPECT_EQ(device().memory().stats().peak - start, 2 * 4 * kCount);  // the result and z
}

TEST_F(LoadedExecutableTest, ADonatedArgumentMakesRoomForTheResultThatReplacesIt) {
  const auto program = load_double(true);
  const auto x = put(1);
  const MemoryStats stats = device().memory().stats();
  auto rest = device().memory().reserve(stats.limit - stats.in_use, {type_, nullptr});
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch.ok()) << launch.status().str();
  EXPECT_EQ(get(*launch->outputs[0])[0], 2);
  EXPECT_EQ(device().memory().stats().in_use, stats.limit);
}

TEST_F(LoadedExecutableTest, TimeIsToldForRunsSinceTheLastQuestion) {
  const auto program = load_double();
  const auto x = put(1);
  Buffer* arguments[] = {x.get()};
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(program->launch(arguments)->complete->wait().ok());
  const auto time = client_->process().journal.take();
  ASSERT_TRUE(time.ok());
  ASSERT_EQ(time->rows.size(), 1u);
  EXPECT_EQ(time->rows[0].runs, 3);
  EXPECT_EQ(time->rows[0].time.hbm_bytes, 2 * 4 * kCount);
  EXPECT_DOUBLE_EQ(time->seconds, 3 * time->last_seconds);
  EXPECT_EQ(client_->process().journal.take()->runs, 0);
}

TEST_F(LoadedExecutableTest, InModeTimeResultsAreZeroAndTakeNoHostMemory) {
  start(Mode::Time);
  const auto program = load_double();
  const auto x = put(1);
  Buffer* arguments[] = {x.get()};
  auto launch = program->launch(arguments);
  ASSERT_TRUE(launch->complete->wait().ok());
  EXPECT_TRUE(launch->outputs[0]->storage()->bytes().empty());
  EXPECT_EQ(get(*launch->outputs[0]), std::vector<float>(kCount, 0));
  EXPECT_EQ(client_->process().journal.take()->runs, 1);
}

TEST_F(LoadedExecutableTest, ThreadsMayLaunchOneProgramAtTheSameTime) {
  const auto program = load_double();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const auto x = put(static_cast<float>(100 * t + i));
        Buffer* arguments[] = {x.get()};
        auto launch = program->launch(arguments);
        ASSERT_TRUE(launch.ok());
        EXPECT_EQ(get(*launch->outputs[0])[0], static_cast<float>(2 * (100 * t + i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace trainyard::runtime
