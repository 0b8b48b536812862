// Reads every asset of packs through a stream, and sweeps a scenario. Usage: read.exe PACKS SCENARIO
using System;
using System.Collections.Generic;
using System.IO;
using System.Security.Cryptography;
using Seekless;

internal static class Program
{
    private static void Print(string path, long size, byte[] hash)
    {
        Console.WriteLine("{0} {1} {2}", path, size, BitConverter.ToString(hash).Replace("-", "").ToLowerInvariant());
    }

    private static void Expect(bool isSo, string what)
    {
        if (!isSo) throw new Exception("expected " + what);
    }

    // Reads again in steps and out of order, like a loader.
    private static void TrySeeking(Packs packs, string path)
    {
        var whole = packs.ReadAllBytes(path);
        using (var stream = packs.Open(path))
        {
            Expect(stream.CanSeek && stream.Length == whole.Length, "the length of " + path);
            var piece = new byte[32 * 1024];
            for (var place = Math.Max(0L, stream.Length - 40000); ; place = place / 2)
            {
                stream.Position = place;
                var got = stream.Read(piece, 5, piece.Length - 5);
                for (var i = 0; i < got; ++i) Expect(piece[5 + i] == whole[place + i], "the bytes of " + path);
                Expect(stream.Position == place + got, "a position past what was read");
                if (place == 0) break;
            }
            stream.Seek(0, SeekOrigin.End);
            Expect(stream.Read(piece, 0, 1) == 0, "the end");
        }
    }

    private static void TryFailures(Packs packs)
    {
        try
        {
            packs.Open("no/such/path");
            Expect(false, "FileNotFoundException");
        }
        catch (FileNotFoundException)
        {
        }
        try
        {
            new Packs("/no/such/packs");
            Expect(false, "SeeklessException");
        }
        catch (SeeklessException e)
        {
            Expect(e.Message.Contains("/no/such/packs"), "the file's name in: " + e.Message);
        }
    }

    private static int Main(string[] arguments)
    {
        AssetStream kept;
        using (var packs = new Packs(arguments[0]))
        using (var sha = SHA256.Create())
        {
            foreach (var path in packs.List())
            {
                using (var stream = packs.Open(path))
                using (var buffered = new BufferedStream(stream, 32 * 1024))
                    Print(path, stream.Length, sha.ComputeHash(buffered));
                TrySeeking(packs, path);
            }
            Console.WriteLine("--");
            var parts = new Dictionary<ulong, byte[]>();
            foreach (var piece in packs.Sweep(arguments[1]))
            {
                if (!parts.ContainsKey(piece.Asset)) parts[piece.Asset] = new byte[piece.AssetBytes];
                Array.Copy(piece.Bytes, 0, parts[piece.Asset], piece.OffsetBytes, piece.Bytes.Length);
            }
            foreach (var part in parts) Print(packs.PathOf(part.Key), part.Value.Length, sha.ComputeHash(part.Value));
            TryFailures(packs);
            kept = packs.Open(packs.List()[0]);
        }
        try
        {
            kept.Read(new byte[9], 0, 9);
        }
        catch (ObjectDisposedException)
        {
            return 0;
        }
        return 1;
    }
}
