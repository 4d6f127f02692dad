// A motion-matching database of Kinematch in C#, for Unity, Godot and others: kinematch.h line by line. See README.md.
// Y up, Z forward, X left, right-handed; metres, seconds; quaternions w x y z. Casts to float keep the rounding of costs.
using System;
using System.IO;

namespace Kinematch
{
    public struct Match { public int Frame; public float Cost; }

    public sealed class Database
    {
        public readonly int F, J, D, C, K, T, H; // frames, joints, feature columns, clips, contacts, tags, trajectory columns
        public readonly int Tail; // frames before the end of what a filter admits that are not jumped to
        public readonly float FrameRate;
        public readonly int[] Sizes, Parents, ContactJoints, ClipStarts, ClipStops;
        public readonly float[] Offsets, Positions, Rotations, Velocities, AngularVelocities, LoopPositions, LoopRotations;
        public readonly float[] Features, FeatureOffset, FeatureScale, FeatureWeights, CostFactor;
        public readonly byte[] Contacts, ClipLoops, Tags, NoExit, TrajectoryColumns, Targets, Ends;
        public readonly string[] JointNames, ClipNames, TagNames;
        readonly float[] roots, weighted;

        public Database(string folder)
        {
            Sizes = Ints(folder, "sizes", 11);
            if (Sizes[0] != 2) throw new InvalidDataException("files of another version");
            F = Sizes[1]; J = Sizes[2]; D = Sizes[3]; C = Sizes[4]; K = Sizes[5]; T = Sizes[6]; H = Sizes[9]; Tail = Sizes[10];
            FrameRate = Floats(folder, "frame_rate", 1)[0];
            Parents = Ints(folder, "parents", J); Offsets = Floats(folder, "offsets", 3 * J);
            Positions = Floats(folder, "positions", 3 * F * J); Rotations = Floats(folder, "rotations", 4 * F * J);
            Velocities = Floats(folder, "velocities", 3 * F * J);
            AngularVelocities = Floats(folder, "angular_velocities", 3 * F * J);
            Contacts = Bytes(folder, "contacts", F * K); ContactJoints = Ints(folder, "contact_joints", K);
            ClipStarts = Ints(folder, "clip_starts", C); ClipStops = Ints(folder, "clip_stops", C);
            ClipLoops = Bytes(folder, "clip_loops", C);
            LoopPositions = Floats(folder, "loop_positions", 3 * C); LoopRotations = Floats(folder, "loop_rotations", 4 * C);
            Tags = Bytes(folder, "tags", F * T); NoExit = Bytes(folder, "no_exit", F);
            Targets = Bytes(folder, "targets", F); Ends = Bytes(folder, "ends", F);
            Features = Floats(folder, "features", F * D); CostFactor = Floats(folder, "cost_factor", F);
            FeatureOffset = Floats(folder, "feature_offset", D); FeatureScale = Floats(folder, "feature_scale", D);
            FeatureWeights = Floats(folder, "feature_weights", D);
            TrajectoryColumns = Bytes(folder, "trajectory_columns", D);
            JointNames = File.ReadAllLines(Path.Combine(folder, "joints.txt"));
            ClipNames = File.ReadAllLines(Path.Combine(folder, "clips.txt"));
            TagNames = File.ReadAllLines(Path.Combine(folder, "tags.txt"));
            roots = new float[D]; weighted = new float[F * D];
            Weigh(FeatureWeights);
        }

        public static byte[] Bytes(string folder, string name, int count)
        {
            byte[] values = File.ReadAllBytes(Path.Combine(folder, name + ".bin"));
            if (values.Length != count) throw new InvalidDataException(name + ".bin: another size than expected");
            return values;
        }
        public static float[] Floats(string folder, string name, int count)
        {
            var values = new float[count];
            Buffer.BlockCopy(Bytes(folder, name, 4 * count), 0, values, 0, 4 * count);
            return values;
        }
        public static int[] Ints(string folder, string name, int count)
        {
            var values = new int[count];
            Buffer.BlockCopy(Bytes(folder, name, 4 * count), 0, values, 0, 4 * count);
            return values;
        }

        // Cost = sum over columns of weight * (query - feature)^2: both are scaled by the roots of the weights beforehand.
        public void Weigh(float[] weights)
        {
            for (int d = 0; d < D; d++) roots[d] = (float)Math.Sqrt(weights[d]);
            for (int i = 0; i < weighted.Length; i++) weighted[i] = (float)(Features[i] * roots[i % D]);
        }

        // The pose columns of the frame that plays, and a trajectory in physical units (m), in the root's axes.
        public float[] MakeQuery(int playing, float[] trajectory, int start = 0)
        {
            var query = new float[D];
            for (int d = 0; d < D; d++)
                query[d] = TrajectoryColumns[d] == 0
                    ? Features[playing * D + d]
                    : (float)((float)(trajectory[start++] - FeatureOffset[d]) / FeatureScale[d]);
            return query;
        }

        // What `admits` is true of, such as tag => tag("walk") && !tag("crouch"): frames with bit 1 may be jumped to, those
        // with bit 2 may go on playing. Neither holds near the end of an admitted stretch. Make each once and keep it.
        public byte[] Mask(Func<Func<string, bool>, bool> admits)
        {
            var found = new byte[F];
            for (int i = 0; i < F; i++)
            {
                int frame = i;
                found[i] = (byte)(admits(name =>
                {
                    int tag = Array.IndexOf(TagNames, name);
                    if (tag < 0) throw new ArgumentException("no tag " + name);
                    return Tags[frame * T + tag] != 0;
                }) ? 3 : 0);
            }
            for (int c = 0; c < C; c++)
                for (int i = ClipStarts[c], first = i; i < ClipStops[c]; i++)
                {
                    if (found[i] == 0) { first = i + 1; continue; }
                    if (i + 1 == ClipStops[c] || found[i + 1] != 0) continue;
                    int half = (i + 1 - first) / 2; // short stretches stay in reach
                    for (int k = 0; k < Math.Min(Tail, half); k++)
                        found[i - k] &= (byte)(k < Math.Min(Tail / 2, half) ? 0 : 2);
                }
            return found;
        }

        // The nearest frame: the one that plays now (or -1) wins ties; of the others, the first.
        public Match Find(float[] query, int current, byte[] mask, float stayBias = 0, int ignore = 20)
        {
            var q = new float[D];
            for (int d = 0; d < D; d++) q[d] = (float)(query[d] * roots[d]);
            int first = 0, last = 0, clip = 0; // frames [first, last) around the current one are no targets
            if (current >= 0)
            {
                while (ClipStops[clip] <= current) clip++;
                first = Math.Max(current - ignore, ClipStarts[clip]);
                last = Math.Min(current + ignore + 1, ClipStops[clip]);
            }
            bool stays = current >= 0 && (mask[current] & 2) != 0 && Ends[current] == 0;
            float staying = stays ? Cost(current, q, float.PositiveInfinity) : float.PositiveInfinity;
            float bound = (float)(staying - stayBias);
            int best = -1;
            for (int i = 0; i < F; i++)
            {
                if (Targets[i] == 0 || (mask[i] & 1) == 0 || (first <= i && i < last)) continue;
                float c = (float)(Cost(i, q, CostFactor[i] == 1 ? bound : float.PositiveInfinity) * CostFactor[i]);
                if (c < bound) { best = i; bound = c; }
            }
            if (best >= 0) return new Match { Frame = best, Cost = bound };
            return new Match { Frame = float.IsPositiveInfinity(staying) ? -1 : current, Cost = staying };
        }

        float Cost(int frame, float[] q, float limit)
        {
            float total = 0;
            int row = frame * D;
            for (int d = 0; d < D && total <= limit; d++)
            {
                float difference = (float)(q[d] - weighted[row + d]);
                total = (float)(total + (float)(difference * difference));
            }
            return total;
        }
    }
}
