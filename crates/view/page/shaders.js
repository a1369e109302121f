// What the graphics card does with a vertex and with a pixel.

const HEAD = `#version 300 es
precision highp float;
precision highp int;
precision highp sampler2DShadow;
`;

/** Where attributes are found, in all programs. */
export const ATTRIBUTES = { position: 0, normal: 1, value: 2, body: 3, other: 4, otherValue: 5, thick: 6 };

/** How things are coloured: by body, or by the value of a field. */
const COLOUR = `
uniform sampler2D palette;
uniform sampler2D scale;
uniform bool byValue;
uniform int hovered;
// Of a body; its last number is a third if it is solid, and two thirds more if it has values.
vec4 ofBody(uint body) {
  return texelFetch(palette, ivec2(int(body) % 1024, int(body) / 1024), 0);
}
vec3 linear(vec3 colour) { return pow(colour, vec3(2.2)); }
vec3 base(vec4 own, float value, uint body) {
  vec3 colour = byValue && own.a > 0.5 ? texture(scale, vec2(value, 0.5)).rgb : own.rgb;
  return linear(int(body) == hovered ? mix(colour, vec3(1.0), 0.25) : colour);
}
`;

/** Light from a lamp, its shadow, and light from everywhere that nearby surfaces keep out. */
const LIGHT = `
uniform sampler2DShadow shadow;
uniform mat4 toShadow;
uniform vec3 toLight;
uniform float shadowTexel;
uniform sampler2D depth;
uniform vec2 size;
uniform vec2 tangent;
uniform vec2 range;
uniform mat3 toCamera;
uniform float reach;
uniform vec3 eye;
uniform vec3 up;

float lit(vec3 place, vec3 normal) {
  float slope = 1.0 - clamp(dot(normal, toLight), 0.0, 1.0);
  vec4 at = toShadow * vec4(place + normal * shadowTexel * (1.5 + 3.5 * slope), 1.0);
  vec3 uvz = at.xyz * 0.5 + 0.5;
  if (any(greaterThan(abs(uvz - 0.5), vec3(0.499)))) return 1.0;
  vec2 texel = 1.0 / vec2(textureSize(shadow, 0));
  float sum = 0.0;
  for (int i = 0; i < 25; i++) {
    vec2 shift = vec2(float(i % 5), float(i / 5)) - 2.0;
    sum += texture(shadow, vec3(uvz.xy + shift * texel * 1.5, uvz.z - 0.0006));
  }
  return sum / 25.0;
}

float away(float z) {
  float ndc = z * 2.0 - 1.0;
  return 2.0 * range.x * range.y / (range.y + range.x - ndc * (range.y - range.x));
}

vec3 seen(vec2 uv, float z) { return vec3((uv * 2.0 - 1.0) * tangent, -1.0) * z; }

// The share of light from everywhere that reaches a place: surfaces seen around it keep some out.
float open(vec3 place, vec3 normal) {
  vec2 uv = gl_FragCoord.xy / size;
  vec3 p = toCamera * (place - eye);
  vec3 n = toCamera * normal;
  float pixels = reach / (-p.z * tangent.y) * size.y * 0.5;
  if (pixels < 2.0) return 1.0;
  // Neighbouring pixels look at other distances (Jimenez 2014, interleaved gradient noise).
  float shift = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float sum = 0.0;
  for (int i = 0; i < 20; i++) {
    float share = (float(i) + shift) / 20.0;
    float angle = 2.39996 * (float(i) + shift);
    vec2 there = uv + vec2(cos(angle), sin(angle)) * share * min(pixels, 0.25 * size.y) / size;
    vec3 way = seen(there, away(texture(depth, there).r)) - p;
    float square = dot(way, way);
    float near = max(0.0, 1.0 - square / (reach * reach));
    // What rises less than this is the edges of triangles.
    sum += near * max(0.0, (dot(way, n) - 0.002 * -p.z) / (sqrt(square) + 1e-4 * reach) - 0.1);
  }
  return 1.0 - min(0.9, 2.0 * sum / 20.0);
}
`;

/** What lies in front of the section plane is cut away. */
const SECTION = `
uniform vec4 section;
float beforeSection(vec3 place) { return dot(place, section.xyz) - section.w; }
`;

export const DEPTH = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
uniform mat4 matrix;
uniform float pointScale;
uniform bool spread;
out vec3 place;
void main() {
  place = position;
  gl_Position = matrix * vec4(position, 1.0);
  gl_PointSize = spread ? pointScale / gl_Position.w : pointScale;
}`,
  fragment: `${HEAD}${SECTION}
in vec3 place;
uniform bool round;
void main() {
  if (beforeSection(place) > 0.0) discard;
  if (round && length(gl_PointCoord - 0.5) > 0.5) discard;
}`,
};

export const MESH = {
  vertex: `${HEAD}${COLOUR}
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float value;
layout(location = 3) in uint body;
uniform mat4 matrix;
out vec3 place;
out vec3 across;
out float level;
flat out vec4 own;
flat out uint number;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  place = position;
  across = normal / max(length(normal), 1e-30);
  level = value;
  own = ofBody(body);
  number = body;
}`,
  fragment: `${HEAD}${COLOUR}${LIGHT}${SECTION}
in vec3 place;
in vec3 across;
in float level;
flat in vec4 own;
flat in uint number;
out vec4 colour;
// Of cut faces in the section plane; zero for surfaces.
uniform vec3 cutNormal;
// The values of a cut face are not known, unless it is drawn over this.
const vec3 CUT = vec3(0.55);
void main() {
  float before = beforeSection(place);
  if (before > 0.0) discard;
  vec3 n = normalize(across);
  if (!gl_FrontFacing) n = -n;
  if (cutNormal != vec3(0.0)) n = cutNormal;
  vec3 albedo = base(own, level, number);
  vec3 at = place;
  bool solid = fract(own.a * 1.5 + 0.01) > 0.25;
  float eyeBefore = beforeSection(eye);
  if (!gl_FrontFacing && solid && eyeBefore > 0.0) {
    // The line of sight enters the body where it meets the plane.
    at = mix(eye, place, eyeBefore / (eyeBefore - before));
    n = section.xyz;
    if (byValue && own.a > 0.5) albedo = linear(CUT);
  }
  vec3 toEye = normalize(eye - at);
  float key = max(dot(n, toLight), 0.0) * lit(at, n);
  float sky = 0.5 + 0.5 * dot(n, up);
  float around = open(at, n);
  vec3 ambient = mix(vec3(0.30, 0.29, 0.28), vec3(0.60, 0.63, 0.68), sky) * around;
  float shine = pow(max(dot(n, normalize(toLight + toEye)), 0.0), 40.0) * key * 0.12;
  vec3 light = albedo * (ambient + vec3(0.86, 0.84, 0.80) * key) + shine;
  colour = vec4(pow(light, vec3(1.0 / 2.2)), 1.0);
}`,
};

export const BALL = {
  vertex: `${HEAD}${COLOUR}
layout(location = 0) in vec3 position;
layout(location = 2) in float value;
layout(location = 3) in uint body;
uniform mat4 matrix;
uniform float pointScale;
uniform float width;
out vec3 place;
out float level;
flat out vec4 own;
flat out uint number;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  gl_PointSize = max(4.5 * width, pointScale / gl_Position.w);
  place = position;
  level = value;
  own = ofBody(body);
  number = body;
}`,
  fragment: `${HEAD}${COLOUR}${SECTION}
in vec3 place;
in float level;
flat in vec4 own;
flat in uint number;
uniform vec3 toLight;
uniform vec3 up;
uniform mat3 toCamera;
out vec4 colour;
void main() {
  if (beforeSection(place) > 0.0) discard;
  vec2 at = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float square = dot(at, at);
  if (square > 1.0) discard;
  vec3 n = vec3(at, sqrt(1.0 - square));
  vec3 l = toCamera * toLight;
  float sky = 0.5 + 0.5 * dot(n, toCamera * up);
  vec3 ambient = mix(vec3(0.30, 0.29, 0.28), vec3(0.60, 0.63, 0.68), sky);
  vec3 light = base(own, level, number) * (ambient + 0.84 * max(dot(n, l), 0.0));
  colour = vec4(pow(light, vec3(1.0 / 2.2)), 1.0);
}`,
};

export const LINE = {
  vertex: `${HEAD}${COLOUR}
layout(location = 0) in vec3 position;
layout(location = 4) in vec3 other;
layout(location = 2) in float value;
layout(location = 5) in float otherValue;
layout(location = 3) in uint body;
layout(location = 6) in float thick;
uniform mat4 matrix;
uniform vec2 size;
uniform float width;
uniform float perMetre;
out float level;
out vec3 place;
out vec3 facing;
flat out vec4 own;
flat out uint number;
void main() {
  // Corners of a ribbon along the line: 0 and 1 at its start, 2 and 3 at its end.
  vec4 a = matrix * vec4(position, 1.0);
  vec4 b = matrix * vec4(other, 1.0);
  vec2 way = (b.xy / b.w - a.xy / a.w) * size;
  vec2 side = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(0.0, 1.0);
  vec4 at = gl_VertexID < 2 ? a : b;
  // A rod is as wide as it is, and reaches a little over its ends, to where the next piece begins.
  float wide = max(width, thick * perMetre / at.w);
  float end = gl_VertexID < 2 ? -1.0 : 1.0;
  float hand = gl_VertexID % 2 == 0 ? 1.0 : -1.0;
  vec2 over = thick > 0.0 ? 0.3 * end * vec2(side.y, -side.x) : vec2(0.0);
  at.xy += (hand * side + over) * 2.0 * wide / size * at.w;
  gl_Position = at;
  facing = vec3(side * hand, thick);
  place = gl_VertexID < 2 ? position : other;
  level = gl_VertexID < 2 ? value : otherValue;
  own = ofBody(body);
  number = body;
}`,
  fragment: `${HEAD}${COLOUR}${SECTION}
in float level;
in vec3 place;
in vec3 facing;
flat in vec4 own;
flat in uint number;
uniform vec3 toLight;
uniform vec3 up;
uniform mat3 toCamera;
out vec4 colour;
void main() {
  if (beforeSection(place) > 0.0) discard;
  // What faces the eye of a round rod; a spring is too thin to be round.
  vec3 n = vec3(facing.xy, sqrt(max(0.0, 1.0 - dot(facing.xy, facing.xy))));
  float sky = 0.5 + 0.5 * dot(n, toCamera * up);
  vec3 ambient = mix(vec3(0.30, 0.29, 0.28), vec3(0.60, 0.63, 0.68), sky);
  vec3 light = facing.z > 0.0 ? ambient + 0.84 * max(dot(n, toCamera * toLight), 0.0) : vec3(0.8);
  colour = vec4(pow(base(own, level, number) * light, vec3(1.0 / 2.2)), 1.0);
}`,
};

/** Needles, thick where a force acts, with no thickness where they end. */
export const ARROW = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
layout(location = 4) in vec3 other;
uniform mat4 matrix;
uniform vec2 size;
uniform float width;
void main() {
  vec4 a = matrix * vec4(position, 1.0);
  vec4 b = matrix * vec4(other, 1.0);
  vec2 way = (b.xy / b.w - a.xy / a.w) * size;
  vec2 side = length(way) > 0.0 ? normalize(vec2(-way.y, way.x)) : vec2(0.0, 1.0);
  gl_Position = gl_VertexID < 2 ? a : b;
  if (gl_VertexID < 2) gl_Position.xy += (gl_VertexID == 0 ? 1.0 : -1.0) * side * 5.0 * width / size * a.w;
}`,
  fragment: `${HEAD}
uniform vec3 accent;
out vec4 colour;
void main() { colour = vec4(accent, 0.8); }`,
};

export const PLANE = {
  vertex: `${HEAD}
layout(location = 0) in vec3 position;
uniform mat4 matrix;
out vec3 place;
out vec2 within;
void main() {
  within = vec2(gl_VertexID % 2 == 0 ? -1.0 : 1.0, gl_VertexID % 4 < 2 ? -1.0 : 1.0);
  place = position;
  gl_Position = matrix * vec4(place, 1.0);
}`,
  fragment: `${HEAD}${LIGHT}
in vec3 place;
in vec2 within;
uniform vec3 first;
uniform vec3 second;
uniform vec3 normal;
uniform vec3 tint;
uniform vec3 ink;
uniform float spacing;
uniform float strength;
out vec4 colour;

float lines(vec2 at) {
  vec2 wide = fwidth(at);
  vec2 off = abs(fract(at - 0.5) - 0.5) / max(wide, 1e-6);
  vec2 line = clamp(1.1 - off, 0.0, 1.0) * clamp(1.0 - 2.5 * wide, 0.0, 1.0);
  return max(line.x, line.y);
}

void main() {
  float shade = 0.68 + 0.32 * lit(place, normal);
  float grid = lines(vec2(dot(place, first), dot(place, second)) / spacing);
  vec3 own = mix(tint, ink, 0.10 * grid);
  float fade = 1.0 - smoothstep(0.25, 1.0, length(within));
  colour = vec4(own * shade * mix(1.0, open(place, normal), 0.8), fade * strength);
}`,
};
