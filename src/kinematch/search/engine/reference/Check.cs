// Answers the test vectors with Kinematch.cs: mcs -out:check.exe Kinematch.cs Check.cs && mono check.exe .
using System;
using System.IO;
using Kinematch;

static class Check
{
    static int Main(string[] arguments)
    {
        string folder = arguments.Length > 0 ? arguments[0] : ".";
        var database = new Database(folder);
        int queryCount = database.Sizes[7];
        int[] playing = Database.Ints(folder, "query_poses", queryCount), current = Database.Ints(folder, "query_current", queryCount);
        int[] filters = Database.Ints(folder, "query_filters", queryCount), ignore = Database.Ints(folder, "query_ignore", queryCount);
        int[] frames = Database.Ints(folder, "found_frames", queryCount);
        float[] costs = Database.Floats(folder, "found_costs", queryCount), bias = Database.Floats(folder, "query_stay_bias", queryCount);
        float[] queries = Database.Floats(folder, "queries", queryCount * database.D);
        float[] trajectories = Database.Floats(folder, "query_trajectories", queryCount * database.H);
        byte[][] masks = Array.ConvertAll(
            File.ReadAllLines(Path.Combine(folder, "filters.txt")), text => database.Mask(tag => new Filter(text, tag).Admits()));
        int wrong = 0;
        for (int n = 0; n < queryCount; n++)
        {
            float[] query = database.MakeQuery(playing[n], trajectories, n * database.H);
            for (int d = 0; d < database.D; d++) if (query[d] != queries[n * database.D + d]) wrong++;
            Match found = database.Find(query, current[n], masks[filters[n]], bias[n], ignore[n]);
            if (found.Frame == frames[n] && found.Cost == costs[n]) continue;
            Console.WriteLine("query {0}: frame {1} at cost {2:R}, expected {3} at {4:R}", n, found.Frame, found.Cost, frames[n], costs[n]);
            wrong++;
        }
        Console.WriteLine("{0} queries, {1} differences", queryCount, wrong);
        return wrong == 0 ? 0 : 1;
    }

    // Reads an expression such as "walk & !(turn | stop)" for one frame; a game writes lambdas instead.
    sealed class Filter
    {
        readonly string text;
        readonly Func<string, bool> tag;
        int at;

        public Filter(string text, Func<string, bool> tag) { this.text = text; this.tag = tag; }
        public bool Admits() { return text.Trim().Length == 0 || Either(); }

        bool Either() { bool found = Both(); while (Take('|')) found |= Both(); return found; }
        bool Both() { bool found = One(); while (Take('&')) found &= One(); return found; }
        bool One()
        {
            if (Take('!')) return !One();
            if (Take('(')) { bool found = Either(); Take(')'); return found; }
            int start = at;
            while (at < text.Length && "&|!() ".IndexOf(text[at]) < 0) at++;
            return tag(text.Substring(start, at - start));
        }
        bool Take(char wanted)
        {
            while (at < text.Length && text[at] == ' ') at++;
            if (at == text.Length || text[at] != wanted) return false;
            at++;
            return true;
        }
    }
}
