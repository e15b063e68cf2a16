// Bessel functions, error function, logarithm of gamma and their like from 0 to 6: polynomials over
// four ranges each, by kind and range of the argument. Some three hundred coefficients, more than the
// constants that should be in registers from the start of a program to its end.
#version 450
layout(local_size_x = 64) in;

layout(std430, binding = 0) readonly buffer Arguments { vec2 arguments[]; };  // kind, x
layout(std430, binding = 1) writeonly buffer Results { float results[]; };
layout(std430, binding = 2) readonly buffer Scales { float scales[]; };

// Bessel function of order 0.
float bessel_0(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 5.0790144e-07;
      r = fma(r, t, 4.9066789e-06);
      r = fma(r, t, -5.9020981e-05);
      r = fma(r, t, -0.00042635756);
      r = fma(r, t, 0.0038318628);
      r = fma(r, t, 0.018267987);
      r = fma(r, t, -0.11210179);
      r = fma(r, t, -0.2619327);
      r = fma(r, t, 0.86424228);
      break;
    case 1:
      r = -3.5117322e-07;
      r = fma(r, t, 6.3912271e-06);
      r = fma(r, t, 3.8127121e-05);
      r = fma(r, t, -0.00057347168);
      r = fma(r, t, -0.0021736677);
      r = fma(r, t, 0.025911033);
      r = fma(r, t, 0.045273899);
      r = fma(r, t, -0.41128377);
      r = fma(r, t, 0.082749851);
      break;
    case 2:
      r = -5.9382622e-07;
      r = fma(r, t, -2.7678436e-06);
      r = fma(r, t, 6.8580888e-05);
      r = fma(r, t, 0.00020171165);
      r = fma(r, t, -0.0043468181);
      r = fma(r, t, -0.0055222083);
      r = fma(r, t, 0.11538765);
      r = fma(r, t, -0.024922013);
      r = fma(r, t, -0.40140605);
      break;
    default:
      r = 1.6874786e-07;
      r = fma(r, t, -6.813852e-06);
      r = fma(r, t, -1.4535791e-05);
      r = fma(r, t, 0.00058533237);
      r = fma(r, t, 0.00045059415);
      r = fma(r, t, -0.023745118);
      r = fma(r, t, 0.0076961367);
      r = fma(r, t, 0.25876048);
      r = fma(r, t, -0.09308099);
      break;
  }
  return r;
}

// Bessel function of order 1.
float bessel_1(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 4.145381e-07;
      r = fma(r, t, -5.4005564e-06);
      r = fma(r, t, -4.6521354e-05);
      r = fma(r, t, 0.00047214225);
      r = fma(r, t, 0.0028427726);
      r = fma(r, t, -0.020436591);
      r = fma(r, t, -0.073072014);
      r = fma(r, t, 0.2989381);
      r = fma(r, t, 0.3492436);
      break;
    case 1:
      r = 5.2823437e-07;
      r = fma(r, t, 3.7335426e-06);
      r = fma(r, t, -6.0576168e-05);
      r = fma(r, t, -0.00030499851);
      r = fma(r, t, 0.0038236401);
      r = fma(r, t, 0.011592886);
      r = fma(r, t, -0.10364422);
      r = fma(r, t, -0.1207304);
      r = fma(r, t, 0.54837836);
      break;
    case 2:
      r = -2.5738634e-07;
      r = fma(r, t, 6.31419e-06);
      r = fma(r, t, 2.6283793e-05);
      r = fma(r, t, -0.00054861717);
      r = fma(r, t, -0.0013449858);
      r = fma(r, t, 0.023183017);
      r = fma(r, t, 0.022088874);
      r = fma(r, t, -0.30770041);
      r = fma(r, t, 0.033229349);
      break;
    default:
      r = -5.7524819e-07;
      r = fma(r, t, -1.7932685e-06);
      r = fma(r, t, 6.4602972e-05);
      r = fma(r, t, 0.00011627626);
      r = fma(r, t, -0.0039027555);
      r = fma(r, t, -0.0024031646);
      r = fma(r, t, 0.094980561);
      r = fma(r, t, -0.020523032);
      r = fma(r, t, -0.34501398);
      break;
  }
  return r;
}

// Bessel function of order 2.
float bessel_2(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = -4.0084008e-07;
      r = fma(r, t, -3.9083053e-06);
      r = fma(r, t, 4.3380235e-05);
      r = fma(r, t, 0.00031794136);
      r = fma(r, t, -0.0024642199);
      r = fma(r, t, -0.012054903);
      r = fma(r, t, 0.051391079);
      r = fma(r, t, 0.12778471);
      r = fma(r, t, 0.067073997);
      break;
    case 1:
      r = 3.0431535e-07;
      r = fma(r, t, -4.8420285e-06);
      r = fma(r, t, -3.2713173e-05);
      r = fma(r, t, 0.00039569339);
      r = fma(r, t, 0.0018935941);
      r = fma(r, t, -0.014874439);
      r = fma(r, t, -0.047469296);
      r = fma(r, t, 0.14148538);
      r = fma(r, t, 0.40469758);
      break;
    case 2:
      r = 4.6926399e-07;
      r = fma(r, t, 2.7042911e-06);
      r = fma(r, t, -5.1145021e-05);
      r = fma(r, t, -0.00021880087);
      r = fma(r, t, 0.0029690749);
      r = fma(r, t, 0.0088242954);
      r = fma(r, t, -0.070076651);
      r = fma(r, t, -0.14272934);
      r = fma(r, t, 0.41912837);
      break;
    default:
      r = -1.8858918e-07;
      r = fma(r, t, 5.418746e-06);
      r = fma(r, t, 1.9564126e-05);
      r = fma(r, t, -0.00044825613);
      r = fma(r, t, -0.0011000913);
      r = fma(r, t, 0.01788425);
      r = fma(r, t, 0.02692151);
      r = fma(r, t, -0.24780251);
      r = fma(r, t, -0.038352907);
      break;
  }
  return r;
}

// Error function.
float error_function(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 0.00024418965;
      r = fma(r, t, 0.0018721271);
      r = fma(r, t, -0.0047908837);
      r = fma(r, t, -0.012211766);
      r = fma(r, t, 0.047680316);
      r = fma(r, t, 0.011186192);
      r = fma(r, t, -0.27123669);
      r = fma(r, t, 0.48220689);
      r = fma(r, t, 0.71115563);
      break;
    case 1:
      r = 9.6435533e-05;
      r = fma(r, t, -0.00014280016);
      r = fma(r, t, -0.00051370706);
      r = fma(r, t, 0.0025669713);
      r = fma(r, t, -0.0060390488);
      r = fma(r, t, 0.009154783);
      r = fma(r, t, -0.0090394249);
      r = fma(r, t, 0.005357502);
      r = fma(r, t, 0.99853728);
      break;
    case 2:
      r = -1.450265e-06;
      r = fma(r, t, 3.308341e-06);
      r = fma(r, t, -3.1768632e-06);
      r = fma(r, t, 3.483911e-06);
      r = fma(r, t, -4.4499193e-06);
      r = fma(r, t, 3.6081865e-06);
      r = fma(r, t, -1.8539833e-06);
      r = fma(r, t, 6.4254714e-07);
      r = fma(r, t, 0.99999989);
      break;
    default:
      r = -7.4643669e-11;
      r = fma(r, t, 1.133705e-10);
      r = fma(r, t, 8.2564473e-12);
      r = fma(r, t, -4.4573908e-11);
      r = fma(r, t, -2.8997072e-11);
      r = fma(r, t, 2.9958992e-11);
      r = fma(r, t, -2.6860928e-12);
      r = fma(r, t, -6.8436001e-13);
      r = fma(r, t, 1.0);
      break;
  }
  return r;
}

// Dawson's integral.
float dawson(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 0.000327862;
      r = fma(r, t, 0.0056202319);
      r = fma(r, t, -0.0088787597);
      r = fma(r, t, -0.036571616);
      r = fma(r, t, 0.084765131);
      r = fma(r, t, 0.083440644);
      r = fma(r, t, -0.38510264);
      r = fma(r, t, 0.16163804);
      r = fma(r, t, 0.52301277);
      break;
    case 1:
      r = 0.00021159256;
      r = fma(r, t, 9.0527582e-05);
      r = fma(r, t, -0.0022809461);
      r = fma(r, t, 0.0050033941);
      r = fma(r, t, -0.0024444854);
      r = fma(r, t, -0.01421526);
      r = fma(r, t, 0.051219627);
      r = fma(r, t, -0.11586731);
      r = fma(r, t, 0.25655427);
      break;
    case 2:
      r = 1.2918363e-06;
      r = fma(r, t, -1.0547616e-05);
      r = fma(r, t, 4.2248562e-05);
      r = fma(r, t, -0.00013860468);
      r = fma(r, t, 0.00046750648);
      r = fma(r, t, -0.0017249877);
      r = fma(r, t, 0.0069638056);
      r = fma(r, t, -0.030216554);
      r = fma(r, t, 0.13870556);
      break;
    default:
      r = 5.3190733e-08;
      r = fma(r, t, -2.8722095e-07);
      r = fma(r, t, 1.5037117e-06);
      r = fma(r, t, -8.8837081e-06);
      r = fma(r, t, 5.4332192e-05);
      r = fma(r, t, -0.00034016046);
      r = fma(r, t, 0.0021914815);
      r = fma(r, t, -0.014420201);
      r = fma(r, t, 0.097072816);
      break;
  }
  return r;
}

// Sine integral.
float sine_integral(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 1.8923086e-07;
      r = fma(r, t, -2.947107e-06);
      r = fma(r, t, -2.4596011e-05);
      r = fma(r, t, 0.00031887587);
      r = fma(r, t, 0.0018479794);
      r = fma(r, t, -0.019612923);
      r = fma(r, t, -0.066436054);
      r = fma(r, t, 0.68163876);
      r = fma(r, t, 0.72695425);
      break;
    case 1:
      r = 2.7194901e-07;
      r = fma(r, t, 1.4117549e-06);
      r = fma(r, t, -3.7072119e-05);
      r = fma(r, t, -0.00011496317);
      r = fma(r, t, 0.0029956237);
      r = fma(r, t, 0.0027403172);
      r = fma(r, t, -0.12174799);
      r = fma(r, t, 0.25935773);
      r = fma(r, t, 1.7054572);
      break;
    case 2:
      r = -5.7821767e-08;
      r = fma(r, t, 3.3930044e-06);
      r = fma(r, t, 3.4792235e-06);
      r = fma(r, t, -0.0003453817);
      r = fma(r, t, 0.00027504846);
      r = fma(r, t, 0.017398195);
      r = fma(r, t, -0.050110726);
      r = fma(r, t, -0.11431226);
      r = fma(r, t, 1.8012287);
      break;
    default:
      r = -2.6961933e-07;
      r = fma(r, t, 2.4647363e-07);
      r = fma(r, t, 3.3385942e-05);
      r = fma(r, t, -7.7929286e-05);
      r = fma(r, t, -0.0021490903);
      r = fma(r, t, 0.008056179);
      r = fma(r, t, 0.036197788);
      r = fma(r, t, -0.12270493);
      r = fma(r, t, 1.5053322);
      break;
  }
  return r;
}

// Fresnel's integral of sines.
float fresnel(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 0.01210275;
      r = fma(r, t, 0.053014079);
      r = fma(r, t, 0.045834723);
      r = fma(r, t, -0.11968568);
      r = fma(r, t, -0.3386589);
      r = fma(r, t, -0.16452627);
      r = fma(r, t, 0.42062052);
      r = fma(r, t, 0.57998208);
      r = fma(r, t, 0.20887711);
      break;
    case 1:
      r = -0.59550143;
      r = fma(r, t, -1.4651799);
      r = fma(r, t, 0.97268);
      r = fma(r, t, 3.8160938);
      r = fma(r, t, -0.067033326);
      r = fma(r, t, -3.1747004);
      r = fma(r, t, -0.22045382);
      r = fma(r, t, 0.72057596);
      r = fma(r, t, 0.50530222);
      break;
    case 2:
      r = 8.6015399;
      r = fma(r, t, 1.3727276);
      r = fma(r, t, -18.492865);
      r = fma(r, t, -2.2131587);
      r = fma(r, t, 12.455418);
      r = fma(r, t, 0.8804318);
      r = fma(r, t, -2.6509713);
      r = fma(r, t, -0.063487825);
      r = fma(r, t, 0.58453433);
      break;
    default:
      r = -3.1860401;
      r = fma(r, t, -1.0647169);
      r = fma(r, t, 6.2732423);
      r = fma(r, t, 2.1362074);
      r = fma(r, t, -4.1114276);
      r = fma(r, t, -1.2794081);
      r = fma(r, t, 0.98317441);
      r = fma(r, t, 0.20719778);
      r = fma(r, t, 0.45358494);
      break;
  }
  return r;
}

// Logarithm of gamma at 1 + x.
float log_gamma(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 0.00020753062;
      r = fma(r, t, -0.00055620432);
      r = fma(r, t, 0.0010666893);
      r = fma(r, t, -0.0031644432);
      r = fma(r, t, 0.010565617);
      r = fma(r, t, -0.039544671);
      r = fma(r, t, 0.21490258);
      r = fma(r, t, 0.18560712);
      r = fma(r, t, -0.084401121);
      break;
    case 1:
      r = 1.2637184e-06;
      r = fma(r, t, -6.544968e-06);
      r = fma(r, t, 3.244702e-05);
      r = fma(r, t, -0.00018719407);
      r = fma(r, t, 0.0011922604);
      r = fma(r, t, -0.0090111527);
      r = fma(r, t, 0.10119327);
      r = fma(r, t, 0.76274319);
      r = fma(r, t, 0.93580193);
      break;
    case 2:
      r = 6.594561e-08;
      r = fma(r, t, -5.1180319e-07);
      r = fma(r, t, 4.0042825e-06);
      r = fma(r, t, -3.4778866e-05);
      r = fma(r, t, 0.00033439609);
      r = fma(r, t, -0.0038405019);
      r = fma(r, t, 0.065876834);
      r = fma(r, t, 1.086903);
      r = fma(r, t, 2.8085714);
      break;
    default:
      r = 8.2262578e-09;
      r = fma(r, t, -8.5385138e-08);
      r = fma(r, t, 9.0968111e-07);
      r = fma(r, t, -1.0589015e-05);
      r = fma(r, t, 0.00013665059);
      r = fma(r, t, -0.0021108486);
      r = fma(r, t, 0.048791034);
      r = fma(r, t, 1.3128401);
      r = fma(r, t, 5.219604);
      break;
  }
  return r;
}

// Lambert's function.
float lambert(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = -0.0027718284;
      r = fma(r, t, 0.0048332561);
      r = fma(r, t, -0.0023711596);
      r = fma(r, t, 0.004897604);
      r = fma(r, t, -0.015411736);
      r = fma(r, t, 0.033912369);
      r = fma(r, t, -0.085658931);
      r = fma(r, t, 0.3192776);
      r = fma(r, t, 0.46915021);
      break;
    case 1:
      r = -1.9845631e-06;
      r = fma(r, t, 8.2565938e-06);
      r = fma(r, t, -3.0763171e-05);
      r = fma(r, t, 0.00013694949);
      r = fma(r, t, -0.00064513083);
      r = fma(r, t, 0.0032726036);
      r = fma(r, t, -0.019171047);
      r = fma(r, t, 0.15860596);
      r = fma(r, t, 0.90773405);
      break;
    case 2:
      r = -5.6170696e-08;
      r = fma(r, t, 3.6684523e-07);
      r = fma(r, t, -2.3302607e-06);
      r = fma(r, t, 1.6193961e-05);
      r = fma(r, t, -0.00011836121);
      r = fma(r, t, 0.00093406492);
      r = fma(r, t, -0.0084779575);
      r = fma(r, t, 0.10771383);
      r = fma(r, t, 1.1671721);
      break;
    default:
      r = -4.9859746e-09;
      r = fma(r, t, 4.4312154e-08);
      r = fma(r, t, -3.9246853e-07);
      r = fma(r, t, 3.7033579e-06);
      r = fma(r, t, -3.6696157e-05);
      r = fma(r, t, 0.00039229605);
      r = fma(r, t, -0.0048117231);
      r = fma(r, t, 0.082187437);
      r = fma(r, t, 1.3546701);
      break;
  }
  return r;
}

// Logarithm of the logistic function.
float logistic(int range, float t) {
  float r;
  switch (range) {
    case 0:
      r = 5.0133792e-07;
      r = fma(r, t, -9.5700901e-06);
      r = fma(r, t, 8.7421845e-06);
      r = fma(r, t, 0.00024874139);
      r = fma(r, t, -0.00088298911);
      r = fma(r, t, -0.0054901359);
      r = fma(r, t, 0.061282969);
      r = fma(r, t, -0.24061599);
      r = fma(r, t, 0.38687101);
      break;
    case 1:
      r = -9.580782e-08;
      r = fma(r, t, 2.6389385e-06);
      r = fma(r, t, -1.4841459e-05);
      r = fma(r, t, 4.942397e-06);
      r = fma(r, t, 0.00054864671);
      r = fma(r, t, -0.0049084477);
      r = fma(r, t, 0.024260046);
      r = fma(r, t, -0.071512097);
      r = fma(r, t, 0.10020656);
      break;
    case 2:
      r = -6.0354953e-08;
      r = fma(r, t, 1.1739062e-07);
      r = fma(r, t, 2.1493789e-06);
      r = fma(r, t, -3.0962099e-05);
      r = fma(r, t, 0.00025609811);
      r = fma(r, t, -0.0015059309);
      r = fma(r, t, 0.0063138967);
      r = fma(r, t, -0.017233028);
      r = fma(r, t, 0.023245464);
      break;
    default:
      r = 4.8095214e-09;
      r = fma(r, t, -9.4539267e-08);
      r = fma(r, t, 1.0879884e-06);
      r = fma(r, t, -9.5290381e-06);
      r = fma(r, t, 6.6327671e-05);
      r = fma(r, t, -0.000361312);
      r = fma(r, t, 0.0014604964);
      r = fma(r, t, -0.0039150943);
      r = fma(r, t, 0.0052337982);
      break;
  }
  return r;
}

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= uint(arguments.length())) return;
  int kind = int(arguments[i].x);
  float x = clamp(arguments[i].y, 0.0, 6.0);
  int range = min(int(x / 1.5), 3);
  float t = x / 0.75 - float(2 * range + 1);
  float y = 0.0;
  if (kind == 0) y += scales[i + 0u] * bessel_0(range, t);
  if (kind == 1) y += scales[i + 1u] * bessel_1(range, t);
  if (kind == 2) y += scales[i + 2u] * bessel_2(range, t);
  if (kind == 3) y += scales[i + 3u] * error_function(range, t);
  if (kind == 4) y += scales[i + 4u] * dawson(range, t);
  if (kind == 5) y += scales[i + 5u] * sine_integral(range, t);
  if (kind == 6) y += scales[i + 6u] * fresnel(range, t);
  if (kind == 7) y += scales[i + 7u] * log_gamma(range, t);
  if (kind == 8) y += scales[i + 8u] * lambert(range, t);
  if (kind == 9) y += scales[i + 9u] * logistic(range, t);
  results[i] = y;
}
