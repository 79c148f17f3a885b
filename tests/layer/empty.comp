#version 450
// Nothing to compute: for tests and measurements of what goes on around a dispatch.
layout(local_size_x = 64) in;

void main()
{
}
