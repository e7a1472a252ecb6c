import java.util.function.IntUnaryOperator;
import java.util.regex.Pattern;

/**
 * Programs that do not end, one for each argument, and some that do. Each loop is marked by a comment `// NAME`
 * on each of its lines: the test reads from there where a program is.
 */
final class Hang {
    static int x;
    static volatile int v;
    static int[] array = new int[1000];
    int field;

    // 1: the loop of the issue: counted, no call.
    static void plain() {
        while (true) { // plain
            x++; // plain
            if (x < 0) x = 0; // plain
        } // plain
    }

    // 2: with a call of a recorded method that is left to itself.
    static int called(int n) {
        return n * 31 + 7;
    }

    static void calls() {
        while (true) x = called(x) | 1; // calls
    }

    // 3: counted loops in one another.
    static void nested() {
        while (true) // nested
            for (int i = 0; i < 1000; i++) // nested
                for (int j = 0; j < 1000; j++) x += i ^ j; // nested
    }

    // 4
    static void doWhile() {
        do { // doWhile
            x += 3; // doWhile
        } while (x != 1 || v == 0); // doWhile
    }

    // 5: for (;;) that changes a field.
    void forField() {
        for (;;) field++; // forField
    }

    // 6: in a static initialiser.
    static final class Initialised {
        static int value;

        static {
            while (Hang.v == 0) value++; // initialiser
        }
    }

    // 7: in a lambda expression.
    static void lambda() {
        IntUnaryOperator spin = start -> {
            int i = start;
            while (v == 0) i += 2; // lambda
            return i;
        };
        x = spin.applyAsInt(3);
    }

    // 8: in a constructor.
    static final class Constructed {
        long count;

        Constructed() {
            while (v == 0) count++; // constructor
        }
    }

    // 9: of two threads, each in a loop of its own.
    static void left() {
        while (v == 0) x++; // twoThreads
    }

    static void twoThreads() {
        Thread other = new Thread(Hang::left, "other");
        other.start();
        int y = 0;
        while (v == 0) y += 5; // twoThreads
        x = y;
    }

    // 10: recursion, and a loop at its end.
    static int deep(int depth) {
        if (depth > 0) return deep(depth - 1) + 1;
        int n = 0;
        while (v == 0) n++; // recursion
        return n;
    }

    // 11: waits for what nobody writes.
    static void onVolatile() {
        while (v == 0) { // onVolatile
        } // onVolatile
    }

    // 12: over an array, again and again.
    static void arrays() {
        int at = 0;
        while (v == 0) { // arrays
            array[at] += at; // arrays
            at = (at + 1) % array.length; // arrays
        } // arrays
    }

    // 13: a machine that comes back to a state.
    static void switched() {
        int state = 0;
        while (state < 100) { // switched
            switch (state) { // switched
                case 0: state = 3; break; // switched
                case 1: state = 4; break; // switched
                case 2: state = 1; break; // switched
                case 3: state = 2; break; // switched
                case 4: state = v == 0 ? 0 : 100; break; // switched
                case 5: state = 6; break; // switched
                case 6: state = 7; break; // switched
                default: state = 100; // switched
            }
        } // switched
    }

    // 14: in a class that the filters leave out, called from one that they do not.
    static final class Excluded {
        static void spin() {
            int n = 0;
            while (v == 0) n++; // excluded
            x = n;
        }
    }

    // 15: in try and catch, with an exception in each turn.
    static void caught() {
        while (v == 0) { // caught
            try { // caught
                x = 1 / (x & 0); // caught
            } catch (ArithmeticException e) { // caught
                x++; // caught
            }
        } // caught
    }

    // 16: builds a text that is thrown away when it is long.
    static void texts() {
        StringBuilder text = new StringBuilder();
        while (v == 0) { // texts
            text.append("ab"); // texts
            if (text.length() > 1000) text.setLength(0); // texts
        } // texts
    }

    // 17: a pattern that tries 2^40 ways, in the JDK's code: what it refers back to cannot be remembered.
    static void pattern() {
        String text = "a".repeat(40) + "!";
        x = Pattern.compile("(a+)+\\1b").matcher(text).matches() ? 1 : 0; // pattern
    }

    // 18: a counted loop of an int, which a compiler may leave without a place to stop; it takes many seconds.
    static void counted() {
        while (v == 0) // counted
            for (int i = 0; i < Integer.MAX_VALUE; i++) x += i / (x | 1); // counted
    }

    // 19: a break that never comes.
    static void labelled() {
        outer:
        while (true) { // labelled
            for (int i = 0; i < 10; i++) { // labelled
                if (i == 11) break outer; // labelled
                x += i; // labelled
            } // labelled
        } // labelled
    }

    // 20: from before recording; see the test that attaches. Also what ends by itself:
    static int ends(int turns) {
        int sum = 0;
        for (int i = 0; i < turns; i++) sum += i % 7;
        return sum;
    }

    static void slow(long milliseconds) {
        long end = System.currentTimeMillis() + milliseconds;
        while (System.currentTimeMillis() < end) x += ends(1000);
    }

    public static void main(String[] arguments) throws Exception {
        String program = arguments[0];
        System.out.println("begun");
        switch (program) {
            case "plain": plain(); break;
            case "calls": calls(); break;
            case "nested": nested(); break;
            case "doWhile": doWhile(); break;
            case "forField": new Hang().forField(); break;
            case "initialiser": x = Initialised.value; break;
            case "lambda": lambda(); break;
            case "constructor": new Constructed(); break;
            case "twoThreads": twoThreads(); break;
            case "recursion": deep(2000); break;
            case "onVolatile": onVolatile(); break;
            case "arrays": arrays(); break;
            case "switched": switched(); break;
            case "excluded": Excluded.spin(); break;
            case "caught": caught(); break;
            case "texts": texts(); break;
            case "pattern": pattern(); break;
            case "counted": counted(); break;
            case "labelled": labelled(); break;
            case "huge": Huge.spin(); break;
            case "ends": System.out.println(ends(1_000_000)); break;
            case "slow": slow(60_000); break;
            case "sleeps": Thread.sleep(60_000); break;
            case "reads": x = System.in.read(); break;
            case "waits":
                synchronized (Hang.class) {
                    Hang.class.wait(60_000);
                }
                break;
            default: throw new IllegalArgumentException(program);
        }
    }
}

/** A method of more than 8,000 bytes, which compilers leave alone. */
final class Huge {
    static int a, b;

    static void spin() {
        while (Hang.v == 0) { // huge
            a += b ^ 1000; a += b ^ 1001; a += b ^ 1002; a += b ^ 1003; a += b ^ 1004; // huge
            a += b ^ 1005; a += b ^ 1006; a += b ^ 1007; a += b ^ 1008; a += b ^ 1009; // huge
            a += b ^ 1010; a += b ^ 1011; a += b ^ 1012; a += b ^ 1013; a += b ^ 1014; // huge
            a += b ^ 1015; a += b ^ 1016; a += b ^ 1017; a += b ^ 1018; a += b ^ 1019; // huge
            a += b ^ 1020; a += b ^ 1021; a += b ^ 1022; a += b ^ 1023; a += b ^ 1024; // huge
            a += b ^ 1025; a += b ^ 1026; a += b ^ 1027; a += b ^ 1028; a += b ^ 1029; // huge
            a += b ^ 1030; a += b ^ 1031; a += b ^ 1032; a += b ^ 1033; a += b ^ 1034; // huge
            a += b ^ 1035; a += b ^ 1036; a += b ^ 1037; a += b ^ 1038; a += b ^ 1039; // huge
            a += b ^ 1040; a += b ^ 1041; a += b ^ 1042; a += b ^ 1043; a += b ^ 1044; // huge
            a += b ^ 1045; a += b ^ 1046; a += b ^ 1047; a += b ^ 1048; a += b ^ 1049; // huge
            a += b ^ 1050; a += b ^ 1051; a += b ^ 1052; a += b ^ 1053; a += b ^ 1054; // huge
            a += b ^ 1055; a += b ^ 1056; a += b ^ 1057; a += b ^ 1058; a += b ^ 1059; // huge
            a += b ^ 1060; a += b ^ 1061; a += b ^ 1062; a += b ^ 1063; a += b ^ 1064; // huge
            a += b ^ 1065; a += b ^ 1066; a += b ^ 1067; a += b ^ 1068; a += b ^ 1069; // huge
            a += b ^ 1070; a += b ^ 1071; a += b ^ 1072; a += b ^ 1073; a += b ^ 1074; // huge
            a += b ^ 1075; a += b ^ 1076; a += b ^ 1077; a += b ^ 1078; a += b ^ 1079; // huge
            a += b ^ 1080; a += b ^ 1081; a += b ^ 1082; a += b ^ 1083; a += b ^ 1084; // huge
            a += b ^ 1085; a += b ^ 1086; a += b ^ 1087; a += b ^ 1088; a += b ^ 1089; // huge
            a += b ^ 1090; a += b ^ 1091; a += b ^ 1092; a += b ^ 1093; a += b ^ 1094; // huge
            a += b ^ 1095; a += b ^ 1096; a += b ^ 1097; a += b ^ 1098; a += b ^ 1099; // huge
            a += b ^ 1100; a += b ^ 1101; a += b ^ 1102; a += b ^ 1103; a += b ^ 1104; // huge
            a += b ^ 1105; a += b ^ 1106; a += b ^ 1107; a += b ^ 1108; a += b ^ 1109; // huge
            a += b ^ 1110; a += b ^ 1111; a += b ^ 1112; a += b ^ 1113; a += b ^ 1114; // huge
            a += b ^ 1115; a += b ^ 1116; a += b ^ 1117; a += b ^ 1118; a += b ^ 1119; // huge
            a += b ^ 1120; a += b ^ 1121; a += b ^ 1122; a += b ^ 1123; a += b ^ 1124; // huge
            a += b ^ 1125; a += b ^ 1126; a += b ^ 1127; a += b ^ 1128; a += b ^ 1129; // huge
            a += b ^ 1130; a += b ^ 1131; a += b ^ 1132; a += b ^ 1133; a += b ^ 1134; // huge
            a += b ^ 1135; a += b ^ 1136; a += b ^ 1137; a += b ^ 1138; a += b ^ 1139; // huge
            a += b ^ 1140; a += b ^ 1141; a += b ^ 1142; a += b ^ 1143; a += b ^ 1144; // huge
            a += b ^ 1145; a += b ^ 1146; a += b ^ 1147; a += b ^ 1148; a += b ^ 1149; // huge
            a += b ^ 1150; a += b ^ 1151; a += b ^ 1152; a += b ^ 1153; a += b ^ 1154; // huge
            a += b ^ 1155; a += b ^ 1156; a += b ^ 1157; a += b ^ 1158; a += b ^ 1159; // huge
            a += b ^ 1160; a += b ^ 1161; a += b ^ 1162; a += b ^ 1163; a += b ^ 1164; // huge
            a += b ^ 1165; a += b ^ 1166; a += b ^ 1167; a += b ^ 1168; a += b ^ 1169; // huge
            a += b ^ 1170; a += b ^ 1171; a += b ^ 1172; a += b ^ 1173; a += b ^ 1174; // huge
            a += b ^ 1175; a += b ^ 1176; a += b ^ 1177; a += b ^ 1178; a += b ^ 1179; // huge
            a += b ^ 1180; a += b ^ 1181; a += b ^ 1182; a += b ^ 1183; a += b ^ 1184; // huge
            a += b ^ 1185; a += b ^ 1186; a += b ^ 1187; a += b ^ 1188; a += b ^ 1189; // huge
            a += b ^ 1190; a += b ^ 1191; a += b ^ 1192; a += b ^ 1193; a += b ^ 1194; // huge
            a += b ^ 1195; a += b ^ 1196; a += b ^ 1197; a += b ^ 1198; a += b ^ 1199; // huge
            a += b ^ 1200; a += b ^ 1201; a += b ^ 1202; a += b ^ 1203; a += b ^ 1204; // huge
            a += b ^ 1205; a += b ^ 1206; a += b ^ 1207; a += b ^ 1208; a += b ^ 1209; // huge
            a += b ^ 1210; a += b ^ 1211; a += b ^ 1212; a += b ^ 1213; a += b ^ 1214; // huge
            a += b ^ 1215; a += b ^ 1216; a += b ^ 1217; a += b ^ 1218; a += b ^ 1219; // huge
            a += b ^ 1220; a += b ^ 1221; a += b ^ 1222; a += b ^ 1223; a += b ^ 1224; // huge
            a += b ^ 1225; a += b ^ 1226; a += b ^ 1227; a += b ^ 1228; a += b ^ 1229; // huge
            a += b ^ 1230; a += b ^ 1231; a += b ^ 1232; a += b ^ 1233; a += b ^ 1234; // huge
            a += b ^ 1235; a += b ^ 1236; a += b ^ 1237; a += b ^ 1238; a += b ^ 1239; // huge
            a += b ^ 1240; a += b ^ 1241; a += b ^ 1242; a += b ^ 1243; a += b ^ 1244; // huge
            a += b ^ 1245; a += b ^ 1246; a += b ^ 1247; a += b ^ 1248; a += b ^ 1249; // huge
            a += b ^ 1250; a += b ^ 1251; a += b ^ 1252; a += b ^ 1253; a += b ^ 1254; // huge
            a += b ^ 1255; a += b ^ 1256; a += b ^ 1257; a += b ^ 1258; a += b ^ 1259; // huge
            a += b ^ 1260; a += b ^ 1261; a += b ^ 1262; a += b ^ 1263; a += b ^ 1264; // huge
            a += b ^ 1265; a += b ^ 1266; a += b ^ 1267; a += b ^ 1268; a += b ^ 1269; // huge
            a += b ^ 1270; a += b ^ 1271; a += b ^ 1272; a += b ^ 1273; a += b ^ 1274; // huge
            a += b ^ 1275; a += b ^ 1276; a += b ^ 1277; a += b ^ 1278; a += b ^ 1279; // huge
            a += b ^ 1280; a += b ^ 1281; a += b ^ 1282; a += b ^ 1283; a += b ^ 1284; // huge
            a += b ^ 1285; a += b ^ 1286; a += b ^ 1287; a += b ^ 1288; a += b ^ 1289; // huge
            a += b ^ 1290; a += b ^ 1291; a += b ^ 1292; a += b ^ 1293; a += b ^ 1294; // huge
            a += b ^ 1295; a += b ^ 1296; a += b ^ 1297; a += b ^ 1298; a += b ^ 1299; // huge
            a += b ^ 1300; a += b ^ 1301; a += b ^ 1302; a += b ^ 1303; a += b ^ 1304; // huge
            a += b ^ 1305; a += b ^ 1306; a += b ^ 1307; a += b ^ 1308; a += b ^ 1309; // huge
            a += b ^ 1310; a += b ^ 1311; a += b ^ 1312; a += b ^ 1313; a += b ^ 1314; // huge
            a += b ^ 1315; a += b ^ 1316; a += b ^ 1317; a += b ^ 1318; a += b ^ 1319; // huge
            a += b ^ 1320; a += b ^ 1321; a += b ^ 1322; a += b ^ 1323; a += b ^ 1324; // huge
            a += b ^ 1325; a += b ^ 1326; a += b ^ 1327; a += b ^ 1328; a += b ^ 1329; // huge
            a += b ^ 1330; a += b ^ 1331; a += b ^ 1332; a += b ^ 1333; a += b ^ 1334; // huge
            a += b ^ 1335; a += b ^ 1336; a += b ^ 1337; a += b ^ 1338; a += b ^ 1339; // huge
            a += b ^ 1340; a += b ^ 1341; a += b ^ 1342; a += b ^ 1343; a += b ^ 1344; // huge
            a += b ^ 1345; a += b ^ 1346; a += b ^ 1347; a += b ^ 1348; a += b ^ 1349; // huge
            a += b ^ 1350; a += b ^ 1351; a += b ^ 1352; a += b ^ 1353; a += b ^ 1354; // huge
            a += b ^ 1355; a += b ^ 1356; a += b ^ 1357; a += b ^ 1358; a += b ^ 1359; // huge
            a += b ^ 1360; a += b ^ 1361; a += b ^ 1362; a += b ^ 1363; a += b ^ 1364; // huge
            a += b ^ 1365; a += b ^ 1366; a += b ^ 1367; a += b ^ 1368; a += b ^ 1369; // huge
            a += b ^ 1370; a += b ^ 1371; a += b ^ 1372; a += b ^ 1373; a += b ^ 1374; // huge
            a += b ^ 1375; a += b ^ 1376; a += b ^ 1377; a += b ^ 1378; a += b ^ 1379; // huge
            a += b ^ 1380; a += b ^ 1381; a += b ^ 1382; a += b ^ 1383; a += b ^ 1384; // huge
            a += b ^ 1385; a += b ^ 1386; a += b ^ 1387; a += b ^ 1388; a += b ^ 1389; // huge
            a += b ^ 1390; a += b ^ 1391; a += b ^ 1392; a += b ^ 1393; a += b ^ 1394; // huge
            a += b ^ 1395; a += b ^ 1396; a += b ^ 1397; a += b ^ 1398; a += b ^ 1399; // huge
            a += b ^ 1400; a += b ^ 1401; a += b ^ 1402; a += b ^ 1403; a += b ^ 1404; // huge
            a += b ^ 1405; a += b ^ 1406; a += b ^ 1407; a += b ^ 1408; a += b ^ 1409; // huge
            a += b ^ 1410; a += b ^ 1411; a += b ^ 1412; a += b ^ 1413; a += b ^ 1414; // huge
            a += b ^ 1415; a += b ^ 1416; a += b ^ 1417; a += b ^ 1418; a += b ^ 1419; // huge
            a += b ^ 1420; a += b ^ 1421; a += b ^ 1422; a += b ^ 1423; a += b ^ 1424; // huge
            a += b ^ 1425; a += b ^ 1426; a += b ^ 1427; a += b ^ 1428; a += b ^ 1429; // huge
            a += b ^ 1430; a += b ^ 1431; a += b ^ 1432; a += b ^ 1433; a += b ^ 1434; // huge
            a += b ^ 1435; a += b ^ 1436; a += b ^ 1437; a += b ^ 1438; a += b ^ 1439; // huge
            a += b ^ 1440; a += b ^ 1441; a += b ^ 1442; a += b ^ 1443; a += b ^ 1444; // huge
            a += b ^ 1445; a += b ^ 1446; a += b ^ 1447; a += b ^ 1448; a += b ^ 1449; // huge
            a += b ^ 1450; a += b ^ 1451; a += b ^ 1452; a += b ^ 1453; a += b ^ 1454; // huge
            a += b ^ 1455; a += b ^ 1456; a += b ^ 1457; a += b ^ 1458; a += b ^ 1459; // huge
            a += b ^ 1460; a += b ^ 1461; a += b ^ 1462; a += b ^ 1463; a += b ^ 1464; // huge
            a += b ^ 1465; a += b ^ 1466; a += b ^ 1467; a += b ^ 1468; a += b ^ 1469; // huge
            a += b ^ 1470; a += b ^ 1471; a += b ^ 1472; a += b ^ 1473; a += b ^ 1474; // huge
            a += b ^ 1475; a += b ^ 1476; a += b ^ 1477; a += b ^ 1478; a += b ^ 1479; // huge
            a += b ^ 1480; a += b ^ 1481; a += b ^ 1482; a += b ^ 1483; a += b ^ 1484; // huge
            a += b ^ 1485; a += b ^ 1486; a += b ^ 1487; a += b ^ 1488; a += b ^ 1489; // huge
            a += b ^ 1490; a += b ^ 1491; a += b ^ 1492; a += b ^ 1493; a += b ^ 1494; // huge
            a += b ^ 1495; a += b ^ 1496; a += b ^ 1497; a += b ^ 1498; a += b ^ 1499; // huge
            a += b ^ 1500; a += b ^ 1501; a += b ^ 1502; a += b ^ 1503; a += b ^ 1504; // huge
            a += b ^ 1505; a += b ^ 1506; a += b ^ 1507; a += b ^ 1508; a += b ^ 1509; // huge
            a += b ^ 1510; a += b ^ 1511; a += b ^ 1512; a += b ^ 1513; a += b ^ 1514; // huge
            a += b ^ 1515; a += b ^ 1516; a += b ^ 1517; a += b ^ 1518; a += b ^ 1519; // huge
            a += b ^ 1520; a += b ^ 1521; a += b ^ 1522; a += b ^ 1523; a += b ^ 1524; // huge
            a += b ^ 1525; a += b ^ 1526; a += b ^ 1527; a += b ^ 1528; a += b ^ 1529; // huge
            a += b ^ 1530; a += b ^ 1531; a += b ^ 1532; a += b ^ 1533; a += b ^ 1534; // huge
            a += b ^ 1535; a += b ^ 1536; a += b ^ 1537; a += b ^ 1538; a += b ^ 1539; // huge
            a += b ^ 1540; a += b ^ 1541; a += b ^ 1542; a += b ^ 1543; a += b ^ 1544; // huge
            a += b ^ 1545; a += b ^ 1546; a += b ^ 1547; a += b ^ 1548; a += b ^ 1549; // huge
            a += b ^ 1550; a += b ^ 1551; a += b ^ 1552; a += b ^ 1553; a += b ^ 1554; // huge
            a += b ^ 1555; a += b ^ 1556; a += b ^ 1557; a += b ^ 1558; a += b ^ 1559; // huge
            a += b ^ 1560; a += b ^ 1561; a += b ^ 1562; a += b ^ 1563; a += b ^ 1564; // huge
            a += b ^ 1565; a += b ^ 1566; a += b ^ 1567; a += b ^ 1568; a += b ^ 1569; // huge
            a += b ^ 1570; a += b ^ 1571; a += b ^ 1572; a += b ^ 1573; a += b ^ 1574; // huge
            a += b ^ 1575; a += b ^ 1576; a += b ^ 1577; a += b ^ 1578; a += b ^ 1579; // huge
            a += b ^ 1580; a += b ^ 1581; a += b ^ 1582; a += b ^ 1583; a += b ^ 1584; // huge
            a += b ^ 1585; a += b ^ 1586; a += b ^ 1587; a += b ^ 1588; a += b ^ 1589; // huge
            a += b ^ 1590; a += b ^ 1591; a += b ^ 1592; a += b ^ 1593; a += b ^ 1594; // huge
            a += b ^ 1595; a += b ^ 1596; a += b ^ 1597; a += b ^ 1598; a += b ^ 1599; // huge
            a += b ^ 1600; a += b ^ 1601; a += b ^ 1602; a += b ^ 1603; a += b ^ 1604; // huge
            a += b ^ 1605; a += b ^ 1606; a += b ^ 1607; a += b ^ 1608; a += b ^ 1609; // huge
            a += b ^ 1610; a += b ^ 1611; a += b ^ 1612; a += b ^ 1613; a += b ^ 1614; // huge
            a += b ^ 1615; a += b ^ 1616; a += b ^ 1617; a += b ^ 1618; a += b ^ 1619; // huge
            a += b ^ 1620; a += b ^ 1621; a += b ^ 1622; a += b ^ 1623; a += b ^ 1624; // huge
            a += b ^ 1625; a += b ^ 1626; a += b ^ 1627; a += b ^ 1628; a += b ^ 1629; // huge
            a += b ^ 1630; a += b ^ 1631; a += b ^ 1632; a += b ^ 1633; a += b ^ 1634; // huge
            a += b ^ 1635; a += b ^ 1636; a += b ^ 1637; a += b ^ 1638; a += b ^ 1639; // huge
            a += b ^ 1640; a += b ^ 1641; a += b ^ 1642; a += b ^ 1643; a += b ^ 1644; // huge
            a += b ^ 1645; a += b ^ 1646; a += b ^ 1647; a += b ^ 1648; a += b ^ 1649; // huge
            a += b ^ 1650; a += b ^ 1651; a += b ^ 1652; a += b ^ 1653; a += b ^ 1654; // huge
            a += b ^ 1655; a += b ^ 1656; a += b ^ 1657; a += b ^ 1658; a += b ^ 1659; // huge
            a += b ^ 1660; a += b ^ 1661; a += b ^ 1662; a += b ^ 1663; a += b ^ 1664; // huge
            a += b ^ 1665; a += b ^ 1666; a += b ^ 1667; a += b ^ 1668; a += b ^ 1669; // huge
            a += b ^ 1670; a += b ^ 1671; a += b ^ 1672; a += b ^ 1673; a += b ^ 1674; // huge
            a += b ^ 1675; a += b ^ 1676; a += b ^ 1677; a += b ^ 1678; a += b ^ 1679; // huge
            a += b ^ 1680; a += b ^ 1681; a += b ^ 1682; a += b ^ 1683; a += b ^ 1684; // huge
            a += b ^ 1685; a += b ^ 1686; a += b ^ 1687; a += b ^ 1688; a += b ^ 1689; // huge
            a += b ^ 1690; a += b ^ 1691; a += b ^ 1692; a += b ^ 1693; a += b ^ 1694; // huge
            a += b ^ 1695; a += b ^ 1696; a += b ^ 1697; a += b ^ 1698; a += b ^ 1699; // huge
        } // huge
    }
}
