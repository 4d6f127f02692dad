// Kinematch for C#, as Unity and .NET call it: put the library (kinematch.dll, libkinematch.so) where they look for one.
using System;
using System.Runtime.InteropServices;
using System.Text;

public sealed class KinematchException : Exception
{
    public readonly long Code;
    public KinematchException(long code) : base(Marshal.PtrToStringAnsi(Native.kinematch_error_text((IntPtr)code)))
    {
        Code = code;
    }
}

static class Native
{
    const string Library = "kinematch";
    [DllImport(Library)] public static extern IntPtr kinematch_load(byte[] data, IntPtr size, IntPtr count, out int error);
    [DllImport(Library)] public static extern IntPtr kinematch_free(IntPtr own);
    [DllImport(Library)] public static extern IntPtr kinematch_command(IntPtr own, IntPtr n, double vx, double vy, double vz,
        double fx, double fy, double fz, IntPtr filter, IntPtr source);
    [DllImport(Library)] public static extern IntPtr kinematch_step(IntPtr own, double dt);
    [DllImport(Library)] public static extern IntPtr kinematch_act(IntPtr own, IntPtr n, IntPtr action, double x, double y,
        double z, double yaw, double when);
    [DllImport(Library)] public static extern IntPtr kinematch_teleport(IntPtr own, IntPtr n, double x, double y, double z, double yaw);
    [DllImport(Library)] public static extern IntPtr kinematch_find(IntPtr own, byte[] name, out Found found);
    [DllImport(Library)] public static extern IntPtr kinematch_about(IntPtr own);
    [DllImport(Library)] public static extern IntPtr kinematch_state_size(IntPtr own);
    [DllImport(Library)] public static extern IntPtr kinematch_save(IntPtr own, byte[] bytes, IntPtr size);
    [DllImport(Library)] public static extern IntPtr kinematch_restore(IntPtr own, byte[] bytes, IntPtr size);
    [DllImport(Library)] public static extern IntPtr kinematch_ground(IntPtr own, IntPtr kind, IntPtr heights, IntPtr columns,
        IntPtr rows, double cell, double x, double z, IntPtr repeats);
    [DllImport(Library)] public static extern IntPtr kinematch_error_text(IntPtr error);

    [StructLayout(LayoutKind.Sequential)]
    public struct Found
    {
        public long Data, Kind, Rank;
        [MarshalAs(UnmanagedType.ByValArray, SizeConst = 5)] public long[] Shape;
    }
}

// Characters that are stepped together. Metres, +Y up, +Z forward, right-handed; quaternions are w, x, y, z.
public sealed class Kinematch : IDisposable
{
    IntPtr own;
    GCHandle ground; // heights that are stood on

    public Kinematch(byte[] data, int count = 1)
    {
        int error;
        own = Native.kinematch_load(data, (IntPtr)data.LongLength, (IntPtr)count, out error);
        if (own == IntPtr.Zero) throw new KinematchException(error);
    }

    ~Kinematch() { Dispose(); }

    public void Dispose()
    {
        if (own != IntPtr.Zero) Native.kinematch_free(own);
        own = IntPtr.Zero;
        if (ground.IsAllocated) ground.Free();
        GC.SuppressFinalize(this);
    }

    // A velocity in m/s and a direction to face along the ground; without one, the character keeps the one it has.
    public void Command(double[] velocity, double[] facing = null, int n = 0, int filter = 0, int source = 0)
    {
        double[] f = facing ?? new double[3];
        Check(Native.kinematch_command(own, (IntPtr)n, velocity[0], velocity[1], velocity[2], f[0], f[1], f[2],
            (IntPtr)filter, (IntPtr)source));
    }

    public long Step(double dt) { return Check(Native.kinematch_step(own, dt)); }

    // Stand on a grid of heights in metres: heights[column * rows + row] at x + cell * column, z + cell * row.
    public void Stand(float[] heights, int columns, int rows, double cell, double x = 0, double z = 0, bool repeats = false)
    {
        if (heights.LongLength != (long)columns * rows) throw new ArgumentException("columns * rows heights are expected");
        GCHandle pinned = GCHandle.Alloc(heights, GCHandleType.Pinned);
        Check(Native.kinematch_ground(own, (IntPtr)1, pinned.AddrOfPinnedObject(), (IntPtr)columns, (IntPtr)rows, cell, x, z,
            (IntPtr)(repeats ? 1 : 0)));
        if (ground.IsAllocated) ground.Free();
        ground = pinned;
    }

    public void StandLevel() { Check(Native.kinematch_ground(own, IntPtr.Zero, IntPtr.Zero, IntPtr.Zero, IntPtr.Zero, 1, 0, 0, IntPtr.Zero)); }

    // An action by its number in the list "actions" of About, or -1 for none; without a target it may be anywhere.
    public void Act(int action, double[] target = null, double yaw = double.NaN, int n = 0, double when = double.NaN)
    {
        double[] t = target ?? new[] { double.NaN, double.NaN, double.NaN };
        Check(Native.kinematch_act(own, (IntPtr)n, (IntPtr)action, t[0], t[1], t[2], yaw, when));
    }

    public void Teleport(double x, double y, double z, double yaw, int n = 0)
    {
        Check(Native.kinematch_teleport(own, (IntPtr)n, x, y, z, yaw));
    }

    // Copies of arrays: the global positions and rotations of all joints, character after character.
    public void ReadPositions(float[] positions) { Read("pose.global_positions", positions); }
    public void ReadRotations(float[] rotations) { Read("pose.global_rotations", rotations); }

    public void Read(string name, float[] values)
    {
        Native.Found found = Find(name);
        Marshal.Copy((IntPtr)found.Data, values, 0, Math.Min(values.Length, Size(found)));
    }

    public void Read(string name, int[] values)
    {
        Native.Found found = Find(name);
        Marshal.Copy((IntPtr)found.Data, values, 0, Math.Min(values.Length, Size(found)));
    }

    public int Measure(string name) { return Size(Find(name)); }

    public byte[] Save()
    {
        byte[] bytes = new byte[Check(Native.kinematch_state_size(own))];
        Check(Native.kinematch_save(own, bytes, (IntPtr)bytes.LongLength));
        return bytes;
    }

    public void Restore(byte[] bytes) { Check(Native.kinematch_restore(own, bytes, (IntPtr)bytes.LongLength)); }

    public string About { get { return Marshal.PtrToStringAnsi(Native.kinematch_about(own)); } }

    Native.Found Find(string name)
    {
        Native.Found found;
        Check(Native.kinematch_find(own, Encoding.UTF8.GetBytes(name + "\0"), out found));
        return found;
    }

    static int Size(Native.Found found)
    {
        long size = 1;
        for (int axis = 0; axis < found.Rank; axis++) size *= found.Shape[axis];
        return (int)size;
    }

    static long Check(IntPtr result)
    {
        if ((long)result < 0) throw new KinematchException((long)result);
        return (long)result;
    }
}
