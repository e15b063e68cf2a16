// Tests the choice of an answer's form by the headers that real clients send, and gzip.
#include "server/net/negotiate.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <string>

namespace kiln::net {
namespace {

constexpr char kType[] = "application/openmetrics-text";

std::string WithAccept(const std::string& accept) {
  return "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: " + accept + "\r\nUser-Agent: test";
}

TEST(NegotiateTest, PrometheusGetsWhatItNamesFirst) {
  EXPECT_TRUE(Prefers(WithAccept("application/openmetrics-text;version=1.0.0,application/"
                                 "openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;"
                                 "q=0.5,*/*;q=0.1"),
                      kType));
  EXPECT_TRUE(Prefers(WithAccept("APPLICATION/OpenMetrics-Text"), kType));
}

TEST(NegotiateTest, OthersGetText) {
  EXPECT_FALSE(Prefers("GET /metrics HTTP/1.1\r\nHost: x", kType));
  for (const char* accept :
       {"*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "text/plain", "",
        "application/openmetrics-text;q=0.4, text/plain;q=0.5",
        "application/openmetrics-text;q=0.4, text/*;q=0.5", "application/openmetrics-text;q=0",
        "application/openmetrics-text;q=wrong", ";;,,q=1"}) {
    EXPECT_FALSE(Prefers(WithAccept(accept), kType)) << accept;
  }
}

TEST(NegotiateTest, LinesOfOneNameAreOneList) {
  const std::string header = "GET / HTTP/1.1\r\naccept: a\r\nAccept-Encoding: c\r\nACCEPT:b";
  EXPECT_EQ(HeaderValues(header, "accept"), "a,b");
  EXPECT_EQ(HeaderValues(header, "accept-encoding"), "c");
  EXPECT_EQ(HeaderValues(header, "get / http/1.1"), "");
}

TEST(NegotiateTest, GzipIsForThoseWhoTakeIt) {
  const auto takes = [](const std::string& codings) {
    return TakesGzip("GET / HTTP/1.1\r\nAccept-Encoding: " + codings);
  };
  EXPECT_TRUE(takes("gzip"));
  EXPECT_TRUE(takes("br, GZIP;q=0.2"));
  EXPECT_FALSE(takes("gzip;q=0"));
  EXPECT_FALSE(takes("identity, *"));
  EXPECT_FALSE(TakesGzip("GET / HTTP/1.1\r\nAccept: gzip"));
}

std::string Inflate(const std::string& packed) {
  std::string text(1 << 20, '\0');
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(NegotiateTest, CompressesWhatBecomesShorter) {
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += "kiln_something_total{number=\"" + std::to_string(i) + "\"} 7\n";
  std::string packed = text;
  ASSERT_TRUE(Compress(&packed));
  EXPECT_LT(packed.size(), text.size() / 3);
  EXPECT_EQ(Inflate(packed), text);
  for (const char* small : {"", "ok\n"}) {
    std::string same = small;
    EXPECT_FALSE(Compress(&same));
    EXPECT_EQ(same, small);
  }
}

}  // namespace
}  // namespace kiln::net
