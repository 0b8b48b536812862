// Tries requests, streams and a watched folder on a folder of loose files that it makes. Usage: background.exe FOLDER
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Seekless;

internal static class Background
{
    private static void Expect(bool isSo, string what)
    {
        if (!isSo) throw new Exception("expected " + what);
    }

    private static byte[] Noise(int seed, int bytes)
    {
        var noise = new byte[bytes];
        new Random(seed).NextBytes(noise);
        return noise;
    }

    private static void TryRequests(Packs packs)
    {
        using (var queue = packs.MakeQueue())
        {
            var paths = Enumerable.Range(0, 40).Select(i => "small" + i).ToList();
            var tasks = queue.ReadAsync(paths, new RequestOptions { Deadline = TimeSpan.FromSeconds(9) });
            Task.WaitAll(tasks);
            for (var i = 0; i < 40; ++i) Expect(tasks[i].Result.SequenceEqual(Noise(i, 9000 + i)), "the bytes of " + paths[i]);
            var part = queue.ReadAsync("music", new RequestOptions { OffsetBytes = 2999990, Priority = RequestOptions.Urgent });
            Expect(part.Result.SequenceEqual(Noise(99, 3000017).Skip(2999990)), "the end of the music");
            var wrong = queue.ReadAsync("music", new RequestOptions { OffsetBytes = 3000018 });
            try
            {
                wrong.Wait();
                Expect(false, "SeeklessException");
            }
            catch (AggregateException e)
            {
                Expect(((SeeklessException)e.InnerException).Result == -2, "INVALID, found " + e.InnerException.Message);
            }
        }
    }

    private static void TryCancelling(Packs packs)
    {
        Task<byte[]>[] kept, taken;
        using (var queue = packs.MakeQueue(4096))
        {
            var paths = Enumerable.Range(0, 2000).Select(i => "small" + i % 40).ToList();
            kept = queue.ReadAsync(paths, new RequestOptions { Tag = 1 });
            taken = queue.ReadAsync(paths, new RequestOptions { Tag = 2 });
            queue.Reschedule(1, 3, RequestOptions.Stream);
            var count = queue.Cancel(2);
            Task.WaitAll(kept);
            while (!taken.All(task => task.IsCompleted)) System.Threading.Thread.Sleep(1);
            Expect(taken.Count(task => task.IsCanceled) == count, count + " tasks to be cancelled");
        }
        var dropped = packs.MakeQueue();
        taken = dropped.ReadAsync(Enumerable.Repeat("music", 100).ToList());
        dropped.Dispose();
        Expect(taken.All(task => task.IsCompleted), "all to have ended");
    }

    private static void TryStream(Packs packs)
    {
        var whole = Noise(99, 3000017);
        using (var stream = packs.OpenAhead("music", new ReadAheadOptions { BytesPerSecond = 1 << 20 }))
        using (var copy = new MemoryStream())
        {
            stream.CopyTo(copy);
            Expect(copy.ToArray().SequenceEqual(whole), "the music");
            var piece = new byte[5];
            foreach (var place in new[] { 7L, 3000008L, 13L })
            {
                stream.Position = place;
                Expect(stream.Read(piece, 0, 5) == 5 && piece.SequenceEqual(whole.Skip((int)place).Take(5)), "bytes at " + place);
                Expect(stream.Position == place + 5 && stream.Length == 3000017, "a position past what was read");
            }
        }
        using (var part = packs.OpenAhead("music", new ReadAheadOptions { OffsetBytes = 10, LengthBytes = 20 }))
        {
            var got = new List<byte>();
            var piece = new byte[9];
            for (int count; (count = part.ReadNow(piece, 2, 7)) != 0;) got.AddRange(piece.Skip(2).Take(Math.Max(0, count)));
            Expect(got.SequenceEqual(whole.Skip(10).Take(20)), "a part of the music");
        }
    }

    private static void TryPumping(string folder)
    {
        using (var packs = Packs.OpenPumped(folder))
        using (var queue = packs.MakeQueue())
        {
            Expect(packs.Pump(TimeSpan.Zero) == Pumped.Done, "nothing to do");
            var tasks = queue.ReadAsync(Enumerable.Range(0, 40).Select(i => "small" + i).ToList());
            System.Threading.Thread.Sleep(20);
            Expect(tasks.All(task => !task.IsCompleted), "nothing to come by itself");
            while (packs.Pump(TimeSpan.FromMilliseconds(0.2)) == Pumped.Outstanding)
            {
            }
            Expect(tasks.All(task => task.IsCompleted), "all to have come");
            for (var i = 0; i < 40; ++i) Expect(tasks[i].Result.SequenceEqual(Noise(i, 9000 + i)), "the bytes of small" + i);
        }
        using (var packs = Packs.OpenPumped(folder))
        using (var queue = packs.MakeQueue(2))
        {
            var tasks = queue.ReadAsync(Enumerable.Repeat("small1", 5).ToList()); // the queue stays full without Pump
            Expect(tasks.Count(task => task.IsFaulted) == 3, "three without room");
            while (packs.Pump(TimeSpan.FromMilliseconds(0.2)) == Pumped.Outstanding)
            {
            }
            Expect(tasks.Count(task => task.IsCompleted && !task.IsFaulted) == 2, "two to have come");
        }
        using (var packs = new Packs(folder)) ExpectFailure(-2, () => packs.Pump(TimeSpan.Zero));
    }

    private static void ExpectFailure(int result, Action action)
    {
        try
        {
            action();
        }
        catch (SeeklessException e)
        {
            Expect(e.Result == result && e.Message != "", "the result " + result + ", found " + e.Result + ", " + e.Message);
            return;
        }
        Expect(false, "SeeklessException");
    }

    private static void TryRecording(string folder)
    {
        var trace = folder + ".trace"; // integration/test_adapters.py reads it
        Recording kept;
        using (var packs = new Packs(folder))
        {
            var recording = packs.Record(trace, "menu");
            ExpectFailure(-2, () => packs.Record(trace));
            packs.ReadAllBytes("small7");
            recording.Mark("map/one");
            packs.ReadAllBytes("small8");
            ExpectFailure(-2, () => recording.Mark(""));
            recording.Mark(null);
            Expect(recording.Stop() == 0, "no event to be lost");
            recording.Dispose();
            trace = folder + ".again";
            packs.Record(trace).Dispose();
            ExpectFailure(-1, () => packs.Record(folder + "/no/trace"));
            kept = packs.Record(trace);
        }
        kept.Stop();
        File.Delete(trace);
    }

    private static void TryHashes(Packs packs)
    {
        var hash = packs.HashOf("small9");
        Expect(packs.Exists(hash) && !packs.Exists(packs.HashOf("none")), "what was hashed, and not what isn't there");
        using (var stream = packs.Open(hash)) Expect(stream.Length == 9009, "the length of small9");
        hash.Seed += 1;
        ExpectFailure(-8, () => packs.Exists(hash));
    }

    private static void TryWatching(string folder)
    {
        var told = new BlockingCollection<AssetChange>();
        using (var packs = new Packs(folder))
        {
            var mount = packs.Watch(folder, 1, told.Add);
            packs.ExpectWatched(mount);
            File.WriteAllText(Path.Combine(folder, "new"), "one");
            AssetChange change;
            Expect(told.TryTake(out change, 20000) && change.Kind == ChangeKind.Added && change.Path == "new", "a new file");
            Expect(packs.Exists("new"), "to find it");
            File.Delete(Path.Combine(folder, "small3"));
            while (!(change.Kind == ChangeKind.Removed && change.Path == "small3"))
                Expect(told.TryTake(out change, 20000), "a removed file");
            Directory.Delete(folder, true);
            while (change.Kind != ChangeKind.Unwatched) Expect(told.TryTake(out change, 20000), "the end");
            Expect(change.Error.Message.Contains(folder), "the folder's name in: " + change.Error.Message);
        }
    }

    private static int Main(string[] arguments)
    {
        var folder = arguments[0];
        Directory.CreateDirectory(folder);
        for (var i = 0; i < 40; ++i) File.WriteAllBytes(Path.Combine(folder, "small" + i), Noise(i, 9000 + i));
        File.WriteAllBytes(Path.Combine(folder, "music"), Noise(99, 3000017));
        ReadAheadStream kept;
        using (var packs = new Packs(folder))
        {
            TryRequests(packs);
            TryCancelling(packs);
            TryStream(packs);
            TryHashes(packs);
            kept = packs.OpenAhead("music");
        }
        Expect(kept.Read(new byte[9], 0, 9) == 9, "a stream that keeps what it reads");
        kept.Dispose();
        TryPumping(folder);
        TryRecording(folder);
        TryWatching(folder);
        Console.WriteLine("all is well");
        return 0;
    }
}
